/** Starts one Chromium, speaks raw protocol with it, and ends it: asked first, killed with its whole process group if need be. */

import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { Writable } from "node:stream";
import type { BaseLogger } from "pino";
import puppeteer, { type Browser, type CDPSession } from "puppeteer-core";
import { type ChromiumOptions, chromiumFlags } from "./flags.ts";
import { inTime } from "./in-time.ts";
import { createProfile } from "./profiles.ts";

/** A running browser. Exactly one owner, who closes it. */
export interface Chromium {
  readonly pid: number;
  /** Session on the browser itself: contexts and targets. */
  readonly session: CDPSession;
  readonly userAgent: string;
  /** `156.0.8078.79` */
  readonly version: string;
  readonly webgl: boolean;
  /** Session on a target that was made through `session`. */
  attach(targetId: string): Promise<CDPSession>;
  connected(): boolean;
  /** Ends the browser and every process of it, and removes its profile. Never throws, takes 2 s at most. */
  close(): Promise<void>;
}

/** What of the service's environment the browser sees: nothing that could be a secret. */
const passedOn = /^(PATH|HOME|TMPDIR|LD_LIBRARY_PATH|FONTCONFIG_(FILE|PATH)|XDG_.*)$/;

/** Pages see these, so they are the same on every machine; options of a capture override them. */
const sameEverywhere = { TZ: "UTC", LANG: "en_US.UTF-8" };

const launchTimeoutMs = 20_000;
const closeTimeoutMs = 2_000;
/** Past every deadline that a capture can have: the last resort for calls that have none of their own. */
const protocolTimeoutMs = 100_000;

/** @throws {LaunchFailed} with words that say what to do. */
export async function launchChromium(
  options: ChromiumOptions,
  proxyServer: string,
  env: Record<string, string | undefined>,
  log: BaseLogger,
): Promise<Chromium> {
  const profile = await createProfile();
  const browserEnv = { ...Object.fromEntries(Object.entries(env).filter(([name]) => passedOn.test(name))), ...sameEverywhere };
  const flags = chromiumFlags(options, { profile, proxyServer });
  let browser: Browser;
  try {
    browser = await puppeteer.launch({
      executablePath: options.executablePath,
      ignoreDefaultArgs: true,
      args: flags,
      pipe: true,
      waitForInitialPage: false,
      defaultViewport: null,
      env: browserEnv,
      timeout: launchTimeoutMs,
      protocolTimeout: protocolTimeoutMs,
      handleSIGINT: false, // the service decides when browsers end
      handleSIGTERM: false,
      handleSIGHUP: false,
    });
  } catch (error) {
    await rm(profile, { recursive: true, force: true });
    throw new LaunchFailed(await diagnose(options, browserEnv), { cause: error });
  }
  const pid = browser.process()?.pid ?? 0;
  writeTogether(browser.process()?.stdio[3]);
  const kill = async () => {
    killGroup(pid);
    await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch((error) =>
      log.warn({ err: error }, "a browser's profile could not be removed"),
    );
  };
  try {
    const spoken = await inTime("A browser that has just started", launchTimeoutMs, speak(browser));
    const close = async () => {
      const child = browser.process();
      if (browser.connected && child?.exitCode === null) {
        const exited = new Promise((resolve) => child.once("exit", resolve));
        const asked = spoken.session.send("Browser.close").then(() => exited);
        await inTime("A browser's end", closeTimeoutMs, asked).catch(() => {}); // then it is killed
      }
      await kill();
    };
    return { ...spoken, pid, webgl: options.webgl, connected: () => browser.connected, close };
  } catch (error) {
    await kill();
    throw new LaunchFailed("Chromium started but did not speak its protocol.", { cause: error });
  }
}

/**
 * The launcher writes each message in two parts, and each part at once. Every write costs a call of the system and wakes Chromium, so
 * what is sent in one turn of the event loop goes out together.
 */
function writeTogether(pipe: unknown): void {
  if (!(pipe instanceof Writable)) return;
  const write: (part: string) => boolean = pipe.write.bind(pipe);
  pipe.write = (part: string) => {
    if (pipe.writableCorked === 0) {
      pipe.cork();
      process.nextTick(() => pipe.uncork());
    }
    return write(part);
  };
}

/** The parts of a browser that are asked of the browser itself. */
async function speak(browser: Browser): Promise<Pick<Chromium, "session" | "version" | "userAgent" | "attach">> {
  const session = await browser.target().createCDPSession();
  const connection = session.connection();
  if (!connection) throw new Error("The session has no connection");
  // The launcher's own bookkeeping attaches to every target and pauses it at its start; nothing here reads that bookkeeping.
  await connection.send("Target.setAutoAttach", { autoAttach: false, waitForDebuggerOnStart: false, flatten: true });
  await connection.send("Target.setDiscoverTargets", { discover: false });
  const { product, userAgent } = await session.send("Browser.getVersion");
  return {
    session,
    version: product.split("/")[1] ?? "0",
    userAgent: userAgent.replace("HeadlessChrome/", "Chrome/"),
    attach: async (targetId) => {
      const { sessionId } = await session.send("Target.attachToTarget", { targetId, flatten: true });
      const attached = connection.session(sessionId);
      if (!attached) throw new Error("Target closed before it was attached");
      return attached;
    },
  };
}

/** Chromium did not start; the message says why as far as Chromium told, and what to do. */
class LaunchFailed extends Error {
  override readonly name = "LaunchFailed";
}

function killGroup(pid: number): void {
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // gone already
  }
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
