/** Checks this machine's prerequisites for captures: a sandboxed browser, memory, fonts and network access. */

import { totalmem } from "node:os";
import type { BaseLogger } from "pino";
import { defaultSlots } from "../../browser/default-slots.ts";
import type { Config } from "../../settings/config.ts";
import { parseProxies } from "../../settings/proxies.ts";
import { AppError } from "../../shared/errors.ts";
import { createNetwork } from "../../start/network.ts";
import { openBrowsers } from "../../start/open-browsers.ts";
import { createMetrics } from "../../telemetry/metrics.ts";
import { type Check, Concern } from "./finding.ts";
import { checkedScripts, fontAdvice, missingFonts } from "./fonts.ts";

const browserTimeoutMs = 60_000;
const lookupTimeoutMs = 10_000;
/** Memory used by the service's process, and by a browser that shows an ordinary page. */
const ownBytes = 100 * 2 ** 20;
const slotBytes = 110 * 2 ** 20;

/** @param target page that should be reachable from this machine; if undefined, no connection to a page is tested. */
export function captureChecks(config: Config, env: NodeJS.ProcessEnv, target: URL | undefined, log: BaseLogger): Check[] {
  const browserChecks = [
    { name: "browser", run: () => checkBrowser(config, env, log) },
    { name: "memory", run: async () => checkMemory(config) },
    { name: "fonts", run: () => checkFonts(env) },
  ];
  return [
    ...(config.ROLE === "api" ? [] : browserChecks),
    { name: "egress", run: () => checkEgress(config, target, log) },
    ...(config.PROXIES === "" ? [] : [{ name: "proxies", run: () => checkProxies(config, target, log) }]),
  ];
}

async function checkBrowser(config: Config, env: NodeJS.ProcessEnv, log: BaseLogger): Promise<string> {
  const browsers = await openBrowsers({ ...config, MAX_CONCURRENT_SCREENSHOTS: 1 }, env, log); // its error messages explain what to do
  try {
    await browsers.started;
    await browsers.slots.check(AbortSignal.timeout(browserTimeoutMs));
    if (!config.CHROMIUM_SANDBOX)
      throw new Concern(
        "Chromium renders pages, but without its sandbox",
        "Remove CHROMIUM_SANDBOX=false, unless all captured pages are trusted: untrusted ones could take over this machine.",
        false,
      );
    return "Chromium renders pages in its sandbox";
  } finally {
    await browsers.close();
  }
}

function checkMemory(config: Config): string {
  const slots = config.MAX_CONCURRENT_SCREENSHOTS ?? defaultSlots();
  const has = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
  const needs = ownBytes + slots * slotBytes;
  const inMegabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`;
  const captures = slots === 1 ? "1 capture at a time needs" : `${slots} concurrent captures need`;
  const size = `${captures} ${inMegabytes(needs)} of ${inMegabytes(has)}`;
  if (needs > has) throw new Concern(size, "Set a lower MAX_CONCURRENT_SCREENSHOTS, or add memory.");
  return size;
}

async function checkFonts(env: NodeJS.ProcessEnv): Promise<string> {
  const missing = await missingFonts(env);
  if (!missing) return "not checked: fontconfig's fc-list is not installed";
  if (missing.length > 0)
    throw new Concern(`no fonts for ${missing.join(", ")}: their characters will appear as boxes`, `${fontAdvice}.`, false);
  return checkedScripts.join(", ");
}

/** Checks that the cloud metadata address is refused and that the target can be reached. Without a target, nothing leaves this machine. */
async function checkEgress(config: Config, target: URL | undefined, log: BaseLogger): Promise<string> {
  const network = createNetwork(config, { log, metrics: createMetrics() });
  const isRefused = await network.vetTarget(new URL("http://169.254.169.254/"), AbortSignal.timeout(lookupTimeoutMs)).then(
    () => false,
    (error) => error instanceof AppError && error.code === "target_blocked",
  );
  if (!isRefused)
    throw new Concern(
      "pages may reach 169.254.169.254, where cloud providers serve this machine's credentials",
      "Remove the entry that contains 169.254.169.254 from EGRESS_ALLOWED_HOSTS.",
    );
  if (!target) return "the cloud metadata address is refused; pass a URL to test outgoing connections";
  try {
    const socket = await network.connect(target.hostname, portOf(target), AbortSignal.timeout(lookupTimeoutMs));
    socket.destroy();
  } catch (error) {
    throw new Concern(
      `${target.host}: ${(error as Error).message}`,
      "Check this machine's DNS and firewall: captures without a proxy connect to pages directly. A private target must be in EGRESS_ALLOWED_HOSTS.",
    );
  }
  return `the cloud metadata address is refused; ${target.host} is reachable`;
}

const portOf = ({ port, protocol }: URL) => Number(port) || (protocol === "https:" ? 443 : 80);

/** Checks that each proxy can be reached and, if there is a target, can connect to it. */
async function checkProxies(config: Config, target: URL | undefined, log: BaseLogger): Promise<string> {
  const network = createNetwork(config, { log, metrics: createMetrics() });
  const proxies = parseProxies(config.PROXIES);
  const page = target && { host: target.hostname, port: portOf(target) };
  const problems = await Promise.all(
    proxies.map(({ name, proxy }) =>
      network.tryProxy(proxy, page, AbortSignal.timeout(lookupTimeoutMs)).then(
        () => [],
        (error: Error) => [`${name}: ${error.message}`],
      ),
    ),
  );
  const failed = problems.flat();
  if (failed.length > 0)
    throw new Concern(failed.join("; "), "Correct PROXIES, or start these proxies. Captures that don't use them work.", false);
  const [count, them] = proxies.length === 1 ? ["1 proxy", "it"] : [`${proxies.length} proxies`, "them"];
  return target ? `${count} can connect to ${target.host}` : `${count} can be reached; pass a URL to test connections through ${them}`;
}
