/** Starts one Chromium, speaks raw protocol with it, and ends it: asked first, killed with its whole process group if need be. */

import { type ChildProcess, spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import type { BaseLogger } from "pino";
import { withDeadline } from "../deadline.ts";
import { BrowserHung, throwHung } from "./chromium-errors.ts";
import { type ChromiumOptions, chromiumFlags } from "./flags.ts";
import { createProfile } from "./profiles.ts";
import { connect, type Session } from "./protocol.ts";

/** A running browser. Exactly one owner, who closes it. */
export interface Chromium {
  readonly pid: number;
  /** Session on the browser itself: contexts and targets. */
  readonly session: Session;
  readonly userAgent: string;
  /** `156.0.8078.79` */
  readonly version: string;
  readonly webgl: boolean;
  /** Session on a target that was made through `session`. */
  attach(targetId: string): Promise<Session>;
  connected(): boolean;
  /** Counts the page's events from zero; when they are too many, `onExceeded` is called and nothing of the browser is read any more. */
  limitEvents(onExceeded: () => void): void;
  /** Ends the browser and every process of it, and removes its profile. Never throws, takes 2 s at most. */
  close(): Promise<void>;
}

/** What of the service's environment the browser sees: nothing that could be a secret. */
const passedOn = /^(PATH|HOME|TMPDIR|LD_LIBRARY_PATH|FONTCONFIG_(FILE|PATH)|XDG_.*)$/;

/** Pages see these, so they are the same on every machine; options of a capture override them. */
const sameEverywhere = { TZ: "UTC", LANG: "en_US.UTF-8" };

const launchTimeoutMs = 20_000;
const closeTimeoutMs = 2_000;

/**
 * @param onSpawn called when its process has begun, a good while before it answers.
 * @throws {LaunchFailed} with words that say what to do.
 */
export async function launchChromium(
  options: ChromiumOptions,
  proxyServer: string,
  env: Record<string, string | undefined>,
  log: BaseLogger,
  onSpawn: () => void = () => {},
): Promise<Chromium> {
  const profile = await createProfile();
  const browserEnv = { ...Object.fromEntries(Object.entries(env).filter(([name]) => passedOn.test(name))), ...sameEverywhere };
  const flags = chromiumFlags(options, { profile, proxyServer });
  let child: ChildProcess | undefined;
  const kill = async () => {
    if (child) killGroup(child);
    await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch((error) =>
      log.warn({ err: error }, "a browser's profile could not be removed"),
    );
  };
  try {
    child = start(options.executablePath, flags, browserEnv);
    onSpawn();
    return await meet(child, options.webgl, kill);
  } catch (error) {
    await kill();
    if (error instanceof BrowserHung) throw new LaunchFailed("Chromium started but did not speak its protocol.", { cause: error });
    throw new LaunchFailed(await diagnose(options, browserEnv), { cause: error });
  }
}

/** In a process group of its own, which ends with this process at the latest. */
function start(path: string, flags: string[], env: Record<string, string | undefined>): ChildProcess {
  const detached = process.platform !== "win32";
  const child = spawn(path, flags, { env, detached, stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  if (running.size === 0) process.on("exit", killAll);
  running.add(child);
  child.once("exit", () => killGroup(child));
  return child;
}

/** The first words with a browser: when they are spoken it works. */
async function meet(child: ChildProcess, webgl: boolean, kill: () => Promise<void>): Promise<Chromium> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const { pid = 0, stdio } = child;
  const [toBrowser, fromBrowser] = [stdio?.[3] as Writable | undefined, stdio?.[4] as Readable | undefined];
  child.on("error", () => fromBrowser?.destroy()); // it did not start
  if (!toBrowser || !fromBrowser) throw new Error("No pipe to Chromium could be opened");
  const { browser: session, attach, isOpen, limitEvents } = connect(toBrowser, fromBrowser);
  const { product, userAgent } = await withDeadline(session.send("Browser.getVersion"), launchTimeoutMs, () =>
    throwHung("A browser that has just started", launchTimeoutMs),
  );
  return {
    pid,
    session,
    attach,
    userAgent: userAgent.replace("HeadlessChrome/", "Chrome/"),
    version: product.split("/")[1] ?? "0",
    webgl,
    connected: isOpen,
    limitEvents,
    close: async () => {
      if (isOpen() && child.exitCode === null) {
        const asked = session.send("Browser.close").then(() => ended);
        await withDeadline(asked, closeTimeoutMs, () => {}).catch(() => {}); // then it is killed
      }
      await kill();
    },
  };
}

/** Chromium did not start; the message says why as far as Chromium told, and what to do. */
class LaunchFailed extends Error {
  override readonly name = "LaunchFailed";
}

/** Browsers whose group has not been killed yet. */
const running = new Set<ChildProcess>();

/**
 * Kills a browser's processes, once: while it runs, or at its exit those that it left behind. Later its number may be the number of a
 * group that is not ours.
 */
function killGroup(child: ChildProcess): void {
  if (!running.delete(child)) return;
  if (running.size === 0) process.off("exit", killAll);
  if (child.pid === undefined) return; // it never started
  try {
    if (process.platform === "win32") child.kill("SIGKILL");
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // gone already
  }
}

function killAll(): void {
  for (const child of running) killGroup(child);
}

const advice: [RegExp, string][] = [
  [
    /Running as root without --no-sandbox/,
    "Chromium's sandbox refuses to run as root: run the service as a normal user, or set CHROMIUM_SANDBOX=false where every captured page is trusted.",
  ],
  [
    /No usable sandbox|Failed to move to new namespace|clone\(\) failed|Operation not permitted|zygote_host_impl_linux/,
    "Chromium's sandbox needs user namespaces, which this machine or container refuses: allow them (docker/seccomp-chromium.json for containers; sysctl kernel.unprivileged_userns_clone=1 or kernel.apparmor_restrict_unprivileged_userns=0 on a host), or set CHROMIUM_SANDBOX=false where every captured page is trusted.",
  ],
  [
    /error while loading shared libraries: (\S+?):/,
    "Chromium lacks a system library ($1): install the system's own Chromium package, which brings it.",
  ],
  [/ENOENT/, "There is no such file: set PUPPETEER_EXECUTABLE_PATH to a Chromium, or leave it empty to look for an installed one."],
  [/EACCES/, "The file may not be executed: check PUPPETEER_EXECUTABLE_PATH."],
];

/** Over the pipe a failed start says only "Target closed", so Chromium is run once more without it and its own words are read. */
async function diagnose(options: ChromiumOptions, env: Record<string, string | undefined>): Promise<string> {
  const flags = [
    "--headless",
    "--disable-gpu",
    "--no-first-run",
    ...(options.sandbox ? [] : ["--no-sandbox"]),
    "--dump-dom",
    "about:blank",
  ];
  const words = await new Promise<string>((resolve) => {
    const child = spawn(options.executablePath, flags, {
      env,
      stdio: ["ignore", "ignore", "pipe"],
      timeout: 10_000,
      killSignal: "SIGKILL",
    });
    let text = "";
    child.stderr.on("data", (chunk) => {
      if (text.length < 64_000) text += chunk;
    });
    child.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    child.on("close", (code, signal) => resolve(`${text}\nexit ${signal ?? code}`));
  });
  for (const [pattern, advised] of advice) {
    const match = pattern.exec(words);
    if (match) return `${options.executablePath} does not start. ${advised.replace("$1", match[1] ?? "")}`;
  }
  return `${options.executablePath} does not start. Its last words: ${words
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-5)
    .join(" / ")}`;
}
