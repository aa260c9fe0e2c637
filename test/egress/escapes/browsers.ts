/** A Chromium behind the egress filter, and one without it. */

import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { pino } from "pino";
import { launchChromium } from "../../../src/browser/chromium.ts";
import { type ChromiumOptions, chromiumFlags } from "../../../src/browser/flags.ts";
import { createProfile } from "../../../src/browser/profiles.ts";
import { connect, type ProtocolSession } from "../../../src/browser/protocol.ts";
import { parseAllowedHosts } from "../../../src/egress/address-policy.ts";
import { createEgressProxy, type EgressProxy } from "../../../src/egress/proxy.ts";
import type { UpstreamProxy } from "../../../src/egress/upstream.ts";
import { createVet, type Vet } from "../../../src/egress/vet.ts";
import type { Scope } from "../../support/scope.ts";
import type { Outer } from "./outer.ts";
import type { Way } from "./way.ts";

export interface TestedBrowser {
  /**
   * Opens `url` in a new context, which the caller disposes of; resolves when the document has arrived or was refused. `gesture` runs at
   * the page's load event as a user gesture.
   */
  open(url: string, options: Pick<Way, "gesture" | "usesNames">): Promise<{ dispose(): Promise<void> }>;
  /** Ports for which the proxy refused a connection. */
  refused: Set<number>;
}

type Browser = { session: ProtocolSession; attach(targetId: string): Promise<ProtocolSession> };

const limits = {
  bytesMax: 200 * 1024 * 1024,
  socketsMax: 256,
  connectTimeoutMs: 10_000,
  idleTimeoutMs: 60_000,
  refusalsMax: 3_000,
  refusalsPerSecondMax: 1_000,
};
const log = pino({ level: "silent" });

/** Configured as for a capture, but only the outer site is allowed. `t` closes it when the test ends. */
export async function startFiltered(t: Scope, outer: Outer, upstream?: UpstreamProxy): Promise<TestedBrowser> {
  const { proxy, refused } = await startFilteredProxy(t, outer, upstream);
  const chromium = await launchChromium(chromiumOptions(), proxy.proxyServer, process.env, log);
  t.after(() => chromium.close());
  return { open: (url, { gesture }) => openPage(chromium, url, gesture), refused };
}

/** `t` closes it when the test ends. */
export async function startFilteredProxy(t: Scope, outer: Outer, upstream?: UpstreamProxy) {
  const vet = createVet({ allowedHosts: parseAllowedHosts(outer.authority), infrastructure: [], resolve: outer.resolve });
  return await startProxy(t, vet, outer, upstream);
}

/** The flags that implement the filter together with the proxy, and those against popups and prefetching. */
const filterFlag =
  /^--(proxy-server=|proxy-bypass-list=|force-webrtc-ip-handling-policy=|disable-quic$|host-resolver-rules=|block-new-web-contents$|enable-features=Prefetch)/;

/**
 * No proxy and none of the filter's flags. Host names are resolved by a proxy that allows everything. `t` closes it when the test ends.
 */
export async function startUnfiltered(t: Scope, outer: Outer): Promise<TestedBrowser> {
  const { proxy, refused } = await startProxy(t, allowingEverything(outer), outer);
  const profile = await createProfile();
  t.after(() => rm(profile, { recursive: true, force: true, maxRetries: 5 }));
  const options = chromiumOptions();
  const flags = chromiumFlags(options, { profile, proxyServer: "" });
  const args = flags.filter((flag) => !filterFlag.test(flag));
  if (flags.length - args.length !== 7) throw new Error("Expected the filter's seven flags");
  const child = spawn(options.executablePath, args, { detached: true, stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  t.after(() => process.kill(-(child.pid ?? 0), "SIGKILL"));
  const { browser, attach } = await connect(child.stdio[3] as Writable, child.stdio[4] as Readable);
  const named = { proxyServer: proxy.proxyServer, proxyBypassList: "<-loopback>" };
  return { open: (url, { gesture, usesNames }) => openPage({ session: browser, attach }, url, gesture, usesNames ? named : {}), refused };
}

export function chromiumOptions(): ChromiumOptions {
  const { TEST_CHROMIUM, CHROMIUM_SANDBOX } = process.env;
  if (!TEST_CHROMIUM) throw new Error("TEST_CHROMIUM must name a Chromium executable");
  return { executablePath: TEST_CHROMIUM, sandbox: CHROMIUM_SANDBOX !== "false", webgl: false };
}

async function startProxy(
  t: Scope,
  vet: Vet,
  outer: Outer,
  upstream?: UpstreamProxy,
): Promise<{ proxy: EgressProxy; refused: Set<number> }> {
  const refused = new Set<number>();
  const proxy = await createEgressProxy({ vet, log, limits, connect: outer.connect, onRefused: ({ port }) => refused.add(port) });
  t.after(() => proxy.close());
  proxy.begin("all ways", undefined, upstream);
  return { proxy, refused };
}

function allowingEverything({ resolve }: Outer): Vet {
  const vet: Vet["vet"] = async (host, _port, signal) => ({
    addresses: /^[\d.]+$|^\[/.test(host) ? [host.replace(/^\[|\]$/g, "")] : await resolve(host, signal),
  });
  const vetUrl: Vet["vetUrl"] = (url, signal) => vet(url.hostname, Number(url.port), signal);
  return { vet, vetUrl, vetProxy: ({ host, port }, signal) => vet(host, port, signal), block: () => () => {} };
}

export async function openPage({ session: browser, attach }: Browser, url: string, gesture?: string, contextOptions = {}) {
  const { browserContextId } = await browser.send("Target.createBrowserContext", { disposeOnDetach: true, ...contextOptions });
  const [{ targetId }] = await Promise.all([
    browser.send("Target.createTarget", { url: "about:blank", browserContextId }),
    browser.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId }),
  ]);
  const session = await attach(targetId);
  await session.send("Page.enable");
  if (gesture) {
    session.on("Page.loadEventFired", () => {
      session.send("Runtime.evaluate", { expression: gesture, userGesture: true }).catch(() => {}); // the page may be gone
    });
  }
  await session.send("Page.navigate", { url });
  return {
    dispose: async () => {
      await browser.send("Target.disposeBrowserContext", { browserContextId }).catch(() => {}); // the browser may be gone
    },
  };
}
