/** The shipped balancer in front of processes on this machine, each with its own loopback address. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../scripts/stack/ports.ts";
import { startNameServer } from "../support/name-server.ts";
import { spawnProcess } from "../support/process.ts";
import type { Scope } from "../support/scope.ts";

export const configuration = readFileSync(new URL("../../docker/haproxy.cfg", import.meta.url), "utf8");

export const hasBalancer = spawnSync("haproxy", ["-v"]).status === 0;

/** Puts `values` where the file names things that exist only with Docker. @throws {Error} if it doesn't name one of them. */
function adapted(values: Record<string, string>): string {
  let text = configuration;
  for (const [from, to] of Object.entries(values)) {
    if (!text.includes(from)) throw new Error(`docker/haproxy.cfg doesn't contain ${from}`);
    text = text.replace(from, to);
  }
  return text;
}

/**
 * @param addresses returns the addresses of the running containers, as Docker's name server would know them at that moment: 127.0.0.2 is
 * `[127, 0, 0, 2]`.
 * @param apiPort the port on which all of them listen.
 * @param changes further replacements in the file.
 * @returns the balancer's origin and its log.
 */
export async function startBalancer(t: Scope, addresses: () => number[][], apiPort: string, changes: Record<string, string> = {}) {
  const { servers } = await startNameServer(t, (name, type) => (name === "api" && type === 1 ? addresses() : []));
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "tintype-balancer-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "haproxy.cfg");
  const own = { "127.0.0.11:53": servers[0] ?? "", "bind :3000": `bind 127.0.0.1:${port}`, "api:3000": `api:${apiPort}` };
  writeFileSync(file, adapted({ ...own, ...changes }));
  const { output, child } = spawnProcess(t, ["haproxy", "-W", "-f", file], {});
  return { origin: `http://127.0.0.1:${port}`, port, output, child };
}
