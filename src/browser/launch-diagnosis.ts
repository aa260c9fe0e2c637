/** Diagnoses why Chromium fails to start. */

import type { ChildProcess } from "node:child_process";
import type { ChromiumOptions } from "./flags.ts";

export type StartChromium = (
  path: string,
  flags: string[],
  env: Record<string, string | undefined>,
  stderr: "ignore" | "pipe",
) => ChildProcess;

const advice: [RegExp, string][] = [
  [
    /Running as root without --no-sandbox/,
    "Chromium's sandbox refuses to run as root: run the service as a normal user, or set CHROMIUM_SANDBOX=false if every captured page is trusted.",
  ],
  [
    /No usable sandbox|Failed to move to new namespace|clone\(\) failed|Operation not permitted|zygote_host_impl_linux/,
    "Chromium's sandbox needs user namespaces, which this machine or container refuses: allow them (docker/seccomp-chromium.json for containers; sysctl kernel.unprivileged_userns_clone=1 or kernel.apparmor_restrict_unprivileged_userns=0 on a host), or set CHROMIUM_SANDBOX=false if every captured page is trusted.",
  ],
  [
    /error while loading shared libraries: (\S+?):/,
    "Chromium lacks a system library ($1): install the system's own Chromium package, which includes it.",
  ],
  [
    /ENOENT/,
    "The file does not exist: set PUPPETEER_EXECUTABLE_PATH to the path of a Chromium, or leave it empty to search for an installed one.",
  ],
  [/EACCES/, "The file is not executable: check PUPPETEER_EXECUTABLE_PATH."],
];

const timeoutMs = 10_000;

/**
 * The cause and the remedy in one or two sentences or, if the cause is unknown, Chromium's last output. A failed start doesn't report
 * anything over the pipe, so Chromium is started once more to collect its error output. Takes 10 s at most.
 * @param start spawns Chromium. @param kill kills Chromium's process group.
 */
export async function diagnoseLaunch(
  options: ChromiumOptions,
  env: Record<string, string | undefined>,
  { start, kill }: { start: StartChromium; kill: (child: ChildProcess) => void },
): Promise<string> {
  const sandbox = options.sandbox ? [] : ["--no-sandbox"];
  const flags = ["--headless", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run", ...sandbox, "about:blank"];
  const output = await new Promise<string>((resolve) => {
    const child = start(options.executablePath, flags, env, "pipe");
    const timer = setTimeout(() => kill(child), timeoutMs);
    // If Chromium does start this time, it exits as soon as its pipes close.
    for (const pipe of child.stdio.slice(3)) pipe?.on("error", () => {}).destroy();
    let text = "";
    child.stderr?.on("data", (chunk) => {
      if (text.length < 64_000) text += chunk;
    });
    child.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve(`${text}\nexit ${signal ?? code}`);
    });
  });
  for (const [pattern, text] of advice) {
    const match = pattern.exec(output);
    if (match) return `${options.executablePath} does not start. ${text.replace("$1", match[1] ?? "")}`;
  }
  return `${options.executablePath} does not start. Its last output: ${output
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-5)
    .join(" / ")}`;
}
