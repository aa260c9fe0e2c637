/** Starts and stops Chromium. Closing a browser first asks it to exit, then kills its whole process group. */

import { type ChildProcess, spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import type { BaseLogger } from "pino";
import { withDeadline } from "../shared/deadline.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { BrowserProxy } from "./browser-proxy.ts";
import { BrowserHung, throwHung } from "./chromium-errors.ts";
import { userAgentOverride } from "./client-hints.ts";
import { type ChromiumOptions, chromiumFlags } from "./flags.ts";
import { diagnoseLaunch, type StartChromium } from "./launch-diagnosis.ts";
import { lowerPriority } from "./priority.ts";
import { createProfile } from "./profiles.ts";
import { type Connection, connect, type ProtocolSession } from "./protocol.ts";
import type { Agent } from "./tab.ts";

/** A running browser. It has a single owner, which closes it. */
export interface Chromium {
  readonly pid: number;
  /** Profile folder, which `close` removes. */
  readonly profile: string;
  /** The browser-level session, for contexts and targets. */
  readonly session: ProtocolSession;
  readonly userAgent: string;
  /** `156.0.8078.79` */
  readonly version: string;
  /** Identity reported to pages unless a capture overrides it. */
  readonly agent: Agent;
  readonly webgl: boolean;
  /** Opens a session with a target created through `session`. */
  attach(targetId: string): Promise<ProtocolSession>;
  connected(): boolean;
  /** Resets the event count. If a limit is exceeded, calls `onExceeded` and stops reading from the browser. */
  limitEvents(onExceeded: () => void): void;
  followPages: Connection["followPages"];
  admitGuest: Connection["admitGuest"];
  /** Terminates all of the browser's processes and removes its profile. Takes about 2 s at most. Never throws. */
  close(): Promise<void>;
}

/** Environment variables passed on to the browser. None of them is meant for secrets. */
const passedVariables = /^(PATH|HOME|TMPDIR|LD_LIBRARY_PATH|FONTCONFIG_(FILE|PATH)|XDG_.*)$/;

/** Pages can observe these, so they are the same on every machine; capture options can override them. */
const fixedEnv = { TZ: "UTC", LANG: "en_US.UTF-8" };

const closeTimeoutMs = 2_000;

/** Maximum time from spawning the process to its first response. */
const responseTimeoutMs = 20_000;

interface Launch {
  /** Called once the process has been spawned, some time before it first responds. */
  onSpawn?: (() => void) | undefined;
  timeoutMs?: number | undefined;
}

/** @throws {LaunchFailed} with the cause and the remedy, if they are known; another error if no profile folder can be created. */
export async function launchChromium(
  options: ChromiumOptions,
  proxyServer: string,
  env: Record<string, string | undefined>,
  log: BaseLogger,
  { onSpawn, timeoutMs = responseTimeoutMs }: Launch = {},
): Promise<Chromium> {
  const profile = await createProfile();
  const browserEnv = { ...Object.fromEntries(Object.entries(env).filter(([name]) => passedVariables.test(name))), ...fixedEnv };
  const flags = chromiumFlags(options, { profile, proxyServer });
  let child: ChildProcess | undefined;
  const kill = async () => {
    if (child) killGroup(child);
    await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch((error) =>
      log.warn({ err: error }, "could not remove a browser profile"),
    );
  };
  try {
    child = start(options.executablePath, flags, browserEnv, "ignore");
    onSpawn?.();
    return { profile, ...(await handshake(child, options.webgl, timeoutMs, kill)) };
  } catch (error) {
    await kill();
    if (error instanceof BrowserHung)
      throw new LaunchFailed(`Chromium started, but did not respond on its protocol pipe within ${timeoutMs / 1000} s.`, { cause: error });
    throw new LaunchFailed(await diagnoseLaunch(options, browserEnv, { start, kill: killGroup }), { cause: error });
  }
}

/** Spawns Chromium in its own process group, which is killed when this process exits, if not sooner. */
function start(...[path, flags, env, stderr]: Parameters<StartChromium>): ChildProcess {
  const detached = process.platform !== "win32";
  const child = spawn(path, flags, { env, detached, stdio: ["ignore", "ignore", stderr, "pipe", "pipe"] });
  if (running.size === 0) process.on("exit", killAll);
  running.add(child);
  child.once("exit", () => killGroup(child));
  if (child.pid !== undefined) void lowerPriority(child.pid);
  return child;
}

/** Connects to a new browser and waits for its first response. */
async function handshake(
  child: ChildProcess,
  webgl: boolean,
  timeoutMs: number,
  kill: () => Promise<void>,
): Promise<Omit<Chromium, "profile">> {
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const { pid = 0, stdio } = child;
  const [toBrowser, fromBrowser] = [stdio?.[3] as Writable | undefined, stdio?.[4] as Readable | undefined];
  child.on("error", () => fromBrowser?.destroy()); // Chromium did not start
  if (!toBrowser || !fromBrowser) throw new Error("Failed to open the pipe to Chromium");
  const connecting = connect(toBrowser, fromBrowser).then(async (connection) => ({
    ...connection,
    ...(await connection.browser.send("Browser.getVersion")),
  }));
  const connected = await withDeadline(connecting, timeoutMs, () => throwHung("A new browser", timeoutMs));
  const { browser: session, attach, isOpen, limitEvents, followPages, admitGuest, product, userAgent } = connected;
  return {
    pid,
    session,
    attach,
    ...identityOf(product, userAgent.replace("HeadlessChrome/", "Chrome/")),
    webgl,
    connected: isOpen,
    limitEvents,
    followPages,
    admitGuest,
    close: async () => {
      if (isOpen() && child.exitCode === null) {
        const closing = session.send("Browser.close").then(() => exited);
        await withDeadline(closing, closeTimeoutMs, () => {}).catch(() => {}); // killed below
      }
      await kill();
    },
  };
}

/** Chromium failed to start; the message gives the cause and the remedy, if they are known. */
class LaunchFailed extends Error {
  override readonly name = "LaunchFailed";
}

/** Browsers whose process group has not been killed yet. */
const running = new Set<ChildProcess>();

/**
 * Kills a browser's process group, once: on close, or when the browser exits and may leave processes behind. After that, the system may
 * reuse the group's id.
 */
function killGroup(child: ChildProcess): void {
  if (!running.delete(child)) return;
  if (running.size === 0) process.off("exit", killAll);
  if (child.pid === undefined) return; // the process never started
  try {
    if (process.platform === "win32") child.kill("SIGKILL");
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // already gone
  }
}

function killAll(): void {
  for (const child of running) killGroup(child);
}

/** Sets a language, because headless Chromium otherwise doesn't send `Accept-Language`. */
function identityOf(product: string, userAgent: string): Pick<Chromium, "userAgent" | "version" | "agent"> {
  const version = product.split("/")[1] ?? "0";
  return { userAgent, version, agent: { ...userAgentOverride(userAgent, version), acceptLanguage: "en-US,en" } };
}

export interface LaunchParts {
  chromium: ChromiumOptions;
  /** Environment of the service; only allow-listed variables are passed to Chromium. */
  env: Record<string, string | undefined>;
  openProxy: () => Promise<BrowserProxy>;
  /** Called when a browser's process has been spawned. */
  onSpawn?: (() => void) | undefined;
  /** Called when a browser has started. */
  onStart?: (browser: Pick<Chromium, "version" | "userAgent">) => void;
  log: BaseLogger;
  metrics: Metrics;
}

/**
 * Starts Chromium and its proxy. The caller closes both, the browser first.
 * @param timeoutMs timeout for the browser's first response.
 * @throws {LaunchFailed} if Chromium doesn't start; another error if no proxy can be opened or no profile folder can be created.
 */
export async function launch(parts: LaunchParts, timeoutMs?: number): Promise<{ chromium: Chromium; proxy: BrowserProxy }> {
  const { chromium, env, openProxy, onSpawn, log, metrics } = parts;
  const proxy = await openProxy();
  try {
    const browser = await launchChromium(chromium, proxy.proxyServer, env, log, { onSpawn, timeoutMs });
    parts.onStart?.(browser);
    metrics.browserLaunches.inc();
    log.info({ browserPid: browser.pid, version: browser.version }, "browser started");
    return { chromium: browser, proxy };
  } catch (error) {
    await proxy.close();
    throw error;
  }
}
