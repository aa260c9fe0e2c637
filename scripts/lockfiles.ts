/** Completes lockfiles: with the address of each archive, npm downloads no lists of versions, 81 MB for the service's packages. */

import { globSync } from "node:fs";

/** What a lockfile installs, without the addresses, as a text to hash. */
export const contentOf = (lockfile: string) => lockfile.replaceAll(/^ +"resolved": .*\n/gm, "");

/** npm replaces this host by that of the configured registry. */
const registry = "https://registry.npmjs.org";

interface Entry {
  name?: string;
  version?: string;
  resolved?: string;
  integrity?: string;
}

/** The lockfiles of the project in `root`. */
export function lockfilesIn(root: string): string[] {
  const exclude = (name: string) => /(^|\/)(node_modules|\.local)$/.test(name);
  return globSync("{,web/,site/,bench/,fidelity/,scripts/*/,test/clients/*/}package-lock.json", { cwd: root, exclude }).sort();
}

/** A lockfile in which every package from the registry has its address; npm leaves them out where it is configured to. */
export function withAddresses(text: string): string {
  const lock = JSON.parse(text) as { packages: Record<string, Entry> };
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!entry.integrity || entry.resolved) continue;
    const { name, version, ...rest } = entry;
    const full = name ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const resolved = `${registry}/${full}/-/${full.split("/").at(-1)}-${version}.tgz`;
    lock.packages[path] = { ...(name === undefined ? {} : { name }), ...(version === undefined ? {} : { version }), resolved, ...rest };
  }
  return `${JSON.stringify(lock, null, 2)}\n`;
}
