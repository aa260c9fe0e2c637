/** Provides the compiled filter lists for blocking ads, trackers, cookie banners and chats. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { takeTexts } from "../blocklists/sources.ts";
import { fetchPackage } from "./fetched-package.ts";
import { root } from "./folders.ts";

const source = join(root, "scripts/blocklists");
/** Folder from which the service loads them. */
const target = join(root, "blocklists");

/** Whether there are compiled lists, which may be out of date. */
export const hasBlocklists = () => existsSync(join(target, "made-of.json"));

/** Downloads and compiles the lists if they are missing or out of date. @throws {Error} when that fails. */
export async function prepareBlocklists(print: (message: string) => void, signal: AbortSignal): Promise<void> {
  const key = await keyOf();
  if ((await currentKey()) === key) return;
  const folder = await fetchTexts(() => print("Downloading filter lists ..."), signal);
  signal.throwIfAborted();
  const { compile } = await import("../blocklists/compile.ts");
  const { lists } = await compile({ texts: folder, own: source, target, key });
  print(
    `Compiled filter lists: ${Object.entries(lists)
      .map(([name, { rules }]) => `${name} ${rules}`)
      .join(", ")} rules.`,
  );
}

/** Downloads the lists; compiling them requires the project's packages. */
export async function fetchTexts(announce: () => void, signal: AbortSignal): Promise<string> {
  const prepare = async (fetched: string) => {
    const modules = join(fetched, "node_modules");
    await takeTexts(modules, fetched);
    await rm(modules, { recursive: true });
  };
  return fetchPackage("blocklists", prepare, signal, announce);
}

/** A hash of the lists, our code and rules, and the engine's version. */
async function keyOf(): Promise<string> {
  const hash = createHash("sha256");
  for (const name of (await readdir(source)).sort()) hash.update(name).update(await readFile(join(source, name)));
  const engine = JSON.parse(await readFile(join(root, "node_modules/@ghostery/adblocker/package.json"), "utf8")) as { version: string };
  return hash.update(engine.version).digest("hex").slice(0, 16);
}

async function currentKey(): Promise<string | undefined> {
  try {
    return (JSON.parse(await readFile(join(target, "made-of.json"), "utf8")) as { key: string }).key;
  } catch {
    return undefined;
  }
}
