/** Finds a working Chromium on this machine, or downloads one. */

import { existsSync, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { PUPPETEER_REVISIONS } from "puppeteer-core/internal/revisions.js";
import { findChromium, installAdvice } from "../../src/browser/executable.ts";
import { runProgram } from "./child.ts";
import { type Candidate, fetchFromRegistry, isInRegistry } from "./chromium-package.ts";
import { chromiumProblem } from "./chromium-proof.ts";
import { toolsFolder } from "./folders.ts";

export interface LocalChromium extends Candidate {
  /** Whether its sandbox works here. */
  sandbox: boolean;
}

/**
 * The configured or installed Chromium if it works, otherwise a downloaded one.
 * If the sandbox doesn't work and `sandbox` is "auto", it is disabled with a warning.
 * @throws {Error} with what is wrong and how to install a Chromium.
 */
export async function localChromium(
  settings: { configuredPath: string; sandbox: "auto" | boolean },
  print: (message: string) => void,
  signal: AbortSignal,
): Promise<LocalChromium> {
  const installed = findChromium(settings.configuredPath);
  if (installed) {
    const checked = await check({ executablePath: installed, env: {} }, settings.sandbox, print, signal);
    if (typeof checked !== "string") return checked;
    if (settings.configuredPath !== "") throw new Error(`PUPPETEER_EXECUTABLE_PATH: ${checked}`);
    print(`The installed Chromium cannot be used. ${checked}`);
  }
  try {
    const checked = await check(await fetchChromium(print, signal), settings.sandbox, print, signal);
    if (typeof checked !== "string") return checked;
    throw new Error(`The downloaded one: ${checked}`);
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`No working Chromium was found. ${installAdvice()}\n${(error as Error).message}`, { cause: error });
  }
}

/** The candidate, with or without the sandbox, or a sentence that says what is wrong. Cached until the file changes. */
async function check(
  candidate: Candidate,
  wanted: "auto" | boolean,
  print: (message: string) => void,
  signal: AbortSignal,
): Promise<LocalChromium | string> {
  const { executablePath, env } = candidate;
  const { mtimeMs, size } = statSync(executablePath);
  const identity = JSON.stringify([executablePath, mtimeMs, size, env, process.getuid?.(), wanted]);
  const cacheFile = join(toolsFolder, "chromium-proof.json");
  const known = (await readFile(cacheFile, "utf8")
    .then(JSON.parse)
    .catch(() => ({}))) as { identity?: string; sandbox?: boolean };
  let sandbox = known.identity === identity ? known.sandbox : undefined;
  if (sandbox === undefined) {
    const browserEnv = { PATH: process.env.PATH, HOME: process.env.HOME, ...env };
    const problems: string[] = [];
    for (const attempt of wanted === "auto" ? [true, false] : [wanted]) {
      const problem = await chromiumProblem(executablePath, { sandbox: attempt, env: browserEnv }, signal);
      if (problem === undefined) {
        sandbox = attempt;
        break;
      }
      problems.push(problem);
    }
    if (sandbox === undefined) return problems[0] ?? "It does not start.";
    await writeFile(cacheFile, JSON.stringify({ identity, sandbox }), { mode: 0o600 });
  }
  if (!sandbox) print(sandboxWarning);
  return { ...candidate, sandbox };
}

const sandboxWarning = `WARNING: Chromium runs WITHOUT ITS SANDBOX, which does not work here: a page that exploits the browser gets this user's rights.
         Capture trusted pages only. Run this as an ordinary user, or let Chromium make user namespaces
         (sysctl kernel.apparmor_restrict_unprivileged_userns=0, or docker/seccomp-chromium.json for a container).`;

function fetchChromium(print: (message: string) => void, signal: AbortSignal): Promise<Candidate> {
  return isInRegistry ? fetchFromRegistry(print, signal) : fetchChromeForTesting(print, signal);
}

/** Chrome for Testing's headless shell, in the version that Puppeteer supports. Needs internet access. */
async function fetchChromeForTesting(print: (message: string) => void, signal: AbortSignal): Promise<Candidate> {
  const cache = join(toolsFolder, "chrome-for-testing");
  const build = `chrome-headless-shell@${PUPPETEER_REVISIONS["chrome-headless-shell"]}`;
  const pathFile = join(cache, `${build}.path`);
  const known = await readFile(pathFile, "utf8").catch(() => "");
  if (known !== "" && existsSync(known)) return { executablePath: known, env: {} };
  print("Downloading Chrome's headless shell ...");
  const require = createRequire(createRequire(import.meta.url).resolve("puppeteer-core"));
  const cli = require.resolve("@puppeteer/browsers").replace(/main\.js$/, "main-cli.js");
  const executablePath = await runProgram([process.execPath, cli, "install", build, "--path", cache, "--format", "{{path}}"], {
    timeoutMs: 10 * 60_000,
    signal,
  });
  await writeFile(pathFile, executablePath);
  return { executablePath, env: {} };
}
