/** Ports of this machine whose pages a local service may capture, named by the user with `--allow` or on the terminal. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

const portsMax = 50;
export const servicePortDefault = 3000;
const answerMs = 60_000;
const example = "npm run local -- --allow 5173";
/** File with the remembered ports; removing it makes the next start ask again. */
const fileIn = (folder: string) => join(folder, "allowed-ports");

/**
 * Removes `--allow 5173`, `--allow=5173,8080` and repetitions from `args`.
 * @returns the named ports, undefined without `--allow`, and all other arguments.
 * @throws {Error} for anything but a port number, or if npm took `--allow` as its own option.
 */
export function takeAllowed(
  args: readonly string[],
  { npm_config_allow: ofNpm }: Record<string, string | undefined> = process.env,
): { ports: number[] | undefined; rest: string[] } {
  if (ofNpm) {
    const named = [ofNpm, ...args].find((text) => /^\d[\d,]*$/.test(text)); // npm turns `--allow 5173` into `true`, and passes 5173 on
    throw new Error(`npm took --allow for itself. Put -- before it: npm run local -- --allow ${named ?? "5173"}`);
  }
  const texts: string[] = [];
  const rest: string[] = [];
  const left = [...args];
  while (left.length > 0 && left[0] !== "cli") {
    const arg = left.shift() ?? "";
    if (arg === "--allow") texts.push(left.shift() ?? "");
    else if (arg.startsWith("--allow=")) texts.push(arg.slice("--allow=".length));
    else rest.push(arg);
  }
  return { ports: texts.length > 0 ? portsOf(texts.join(",")) : undefined, rest: [...rest, ...left] };
}

/**
 * Reads ports separated by commas or spaces: `5173`, `localhost:5173` or `http://localhost:5173/`; `none` for none.
 * @throws {Error} for hosts other than this machine, and for anything that is not a port.
 */
function portsOf(text: string): number[] {
  if (text.trim() === "none") return [];
  const parts = text.split(/[\s,]+/).filter(Boolean);
  if (parts.length === 0 || parts.length > portsMax) throw new Error(`--allow takes 1 to ${portsMax} ports, as in \`${example}\`.`);
  return [...new Set(parts.map(portOf))];
}

/** As `URL` writes them. */
export const loopbackHosts = ["localhost", "127.0.0.1", "[::1]"];

function portOf(text: string): number {
  const digits = /^(?:(?:https?:\/\/)?(?:localhost|127\.0\.0\.1|\[::1\]):)?(\d{1,5})\/?$/i.exec(text)?.[1];
  const port = Number(digits ?? 0);
  if (port >= 1 && port <= 65_535) return port;
  const shown = JSON.stringify(text.slice(0, 100));
  throw new Error(
    `--allow is for ports of this machine, as in \`${example}\`, not for ${shown}. Other hosts: EGRESS_ALLOWED_HOSTS=host:port npm run local`,
  );
}

/** `settings` with the ports of this machine's loopback addresses added. @throws {Error} in production, or for a port of the service. */
export function withAllowed<Settings extends Record<string, string | undefined>>(settings: Settings, ports: readonly number[]): Settings {
  if (ports.length === 0) return settings;
  if (settings.NODE_ENV === "production")
    throw new Error("--allow is for development: with NODE_ENV=production, set EGRESS_ALLOWED_HOSTS, which names whole hosts and ports.");
  const own = ownPortIn(ports, settings);
  if (own)
    throw new Error(
      `Port ${own.port} can't be captured, because it is the ${own.name} of the service. Set another ${own.name}, or forget the ports of earlier starts with \`--allow none\`.`,
    );
  const hosts = ports.flatMap((port) => loopbackHosts.map((host) => `${host}:${port}`));
  return { ...settings, EGRESS_ALLOWED_HOSTS: [settings.EGRESS_ALLOWED_HOSTS, ...hosts].filter(Boolean).join(",") };
}

/** The first of `ports` that the service itself listens on, and its setting. */
function ownPortIn(ports: readonly number[], settings: Record<string, string | undefined>): { name: string; port: number } | undefined {
  const own = ["PORT", "WEB_PORT", "METRICS_PORT"].map((name) => ({ name, port: Number(settings[name]) }));
  return own.find(({ port }) => ports.includes(port));
}

export interface Terminal {
  input: Readable & { isTTY?: boolean };
  output: Writable & { isTTY?: boolean };
}

/**
 * The ports remembered in `folder`. If the question has not been answered yet, asks it on a terminal, unless `EGRESS_ALLOWED_HOSTS` already
 * answers it. Empty in production.
 */
export async function answeredPorts(
  folder: string,
  terminal: Terminal,
  signal: AbortSignal,
  env: Record<string, string | undefined> = process.env,
): Promise<number[]> {
  if (env.NODE_ENV === "production") return [];
  const kept = await keptPorts(folder);
  if (kept !== undefined) return kept;
  if (!terminal.input.isTTY || !terminal.output.isTTY || env.EGRESS_ALLOWED_HOSTS) return [];
  const ports = (await askPorts(terminal, signal, { PORT: env.PORT || String(servicePortDefault), METRICS_PORT: env.METRICS_PORT })) ?? [];
  signal.throwIfAborted();
  await keepPorts(folder, ports);
  return ports;
}

/**
 * The ports given with `--allow`, and those remembered in `folder`, which are ignored after `--allow none` and in production. Nothing is
 * asked or written.
 * @param named undefined without `--allow`, empty for `--allow none`.
 * @throws {Error} if there are more ports than can be remembered.
 */
export async function allowedPorts(
  folder: string,
  named: readonly number[] | undefined,
  env: Record<string, string | undefined> = process.env,
): Promise<number[]> {
  if (env.NODE_ENV === "production" || named?.length === 0) return [...(named ?? [])];
  const ports = [...new Set([...((await keptPorts(folder)) ?? []), ...(named ?? [])])];
  if (ports.length <= portsMax) return ports;
  throw new Error(
    `With those of earlier starts, ${ports.length} ports are allowed; at most ${portsMax} can be. \`--allow none\` forgets them.`,
  );
}

async function keptPorts(folder: string): Promise<number[] | undefined> {
  const kept = await readFile(fileIn(folder), "utf8").catch(() => undefined);
  return kept === undefined ? undefined : portsOf(kept);
}

/** Remembers the ports for later starts. */
export async function keepPorts(folder: string, ports: readonly number[]): Promise<void> {
  await writeFile(fileIn(folder), `${ports.join(",") || "none"}\n`);
}

/**
 * @param settings contains the ports that are not accepted as an answer. The dashboard moves to another port if necessary.
 * @returns undefined without an answer: after a minute, or at the end of the input.
 */
async function askPorts(
  { input, output }: Terminal,
  signal: AbortSignal,
  settings: Record<string, string | undefined>,
): Promise<number[] | undefined> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
  const lines = createInterface({ input, output, terminal: false }); // not in raw mode, so that Ctrl-C remains a signal
  deadline.addEventListener("abort", () => lines.close(), { once: true });
  output.write(
    "Pages of this machine are refused, except on ports that you name. Which ports, such as 5173? (Enter, or no answer for a minute: none) ",
  );
  try {
    for await (const line of lines) {
      if (line.trim() === "") return [];
      try {
        const ports = portsOf(line.slice(0, 1_000));
        const own = ownPortIn(ports, settings);
        if (!own) return ports;
        output.write(`Port ${own.port} is the service's own (${own.name}). Please enter others, or nothing: `);
      } catch {
        output.write("Please enter port numbers with commas between them, or nothing: ");
      }
    }
    if (!signal.aborted) output.write("\nNo answer: none. `--allow PORT` names them at the next start.\n");
    return undefined;
  } finally {
    lines.close();
    input.pause();
  }
}
