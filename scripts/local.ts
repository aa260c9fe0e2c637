/**
 * `npm run local`: runs the whole service on this machine, until Ctrl-C. With `--once URL FILE`: takes one screenshot. With `cli …`:
 * runs the command line on the running service. `--allow PORT` allows pages on a port of this machine to be captured.
 */

import { readFile, writeFile } from "node:fs/promises";
import { basename, extname, join, relative } from "node:path";
import { fontAdvice, missingFonts } from "../src/cli/doctor/fonts.ts";
import { untilAborted } from "../src/shared/deadline.ts";
import { extensions, type Format, formats } from "../src/shared/formats.ts";
import {
  allowedPorts,
  answeredPorts,
  keepPorts,
  loopbackHosts,
  servicePortDefault,
  takeAllowed,
  withAllowed,
} from "./stack/allowed-ports.ts";
import { runCommand } from "./stack/command.ts";
import { localFolder, root, throwAwayFolder } from "./stack/folders.ts";
import { interruption } from "./stack/interrupt.ts";
import { demoAccount, keyAndPasswordOf, keyOf, unlimitedAccount } from "./stack/keys.ts";
import { claimFileIn, runCli, shareWithCli } from "./stack/local-cli.ts";
import { freePort, isFree } from "./stack/ports.ts";
import { progress, startedAt } from "./stack/progress.ts";
import { claim } from "./stack/single-run.ts";
import { together } from "./stack/together.ts";
import { builtWeb, type RunningWeb, startWeb } from "./stack/web.ts";
import { type Environment, settings, startWhole } from "./stack/whole.ts";

const signal = interruption();
await runCommand(main, signal);

async function main(args: string[]): Promise<number> {
  const { ports, rest } = takeAllowed(args);
  const [flag, url, file, ...more] = rest;
  if (flag === undefined) return serve(ports);
  if (flag === "cli" && ports === undefined) return await runCli(rest.slice(1), signal);
  if (flag === "--once" && url !== undefined && file !== undefined && more.length === 0) return captureOnce(url, file, ports);
  throw new Error("Usage: npm run local [-- [--allow PORT,…] [--once URL FILE] | -- cli COMMAND]");
}

/**
 * Serves until interrupted. The data is kept for the next run.
 * @param named ports of this machine whose pages may also be captured, now and in later runs; undefined without `--allow`.
 */
async function serve(named: number[] | undefined): Promise<number> {
  const webPortWanted = portSetting("WEB_PORT", 3001);
  await using _claim = await claim(claimFileIn(localFolder));
  const terminal = { input: process.stdin, output: process.stdout };
  const allowed = named ? await allowedPorts(localFolder, named) : await answeredPorts(localFolder, terminal, signal);
  const port = await servicePort();
  const webPort = await freePortFrom(webPortWanted, [port, ...allowed]);
  const fonts = missingFonts(process.env);
  const building = builtWeb(signal, () => progress.say("Building the dashboard ...")).catch((error: Error) => error);
  const given = {
    ENABLE_METRICS: "true",
    METRICS_PORT: String(await metricsPort(allowed)),
    WEB_PUBLIC_URL: `http://localhost:${webPort}`,
    TRUST_PROXY: "127.0.0.1",
    SIGN_UP: "open",
    WEBHOOK_ALLOW_HTTP: String(allowed.length > 0), // receivers on the allowed ports have no TLS
    ...settings(),
    PORT: String(port),
    WEB_PORT: String(webPort),
  };
  const env = withAllowed(given, allowed);
  if (named) await keepPorts(localFolder, allowed);
  const webEnv = { ...env, WEB_SERVER_URL: `http://127.0.0.1:${port}` };
  await using both = await together(
    [
      (either) => startWhole({ folder: localFolder, throwAway: false, env }, either),
      async (either) => await startBuiltWeb(await untilAborted(building, either), webEnv, either),
    ],
    signal,
  );
  const [running, web] = both.parts;
  await using _shared = await shareWithCli(localFolder, running.env);
  const { service } = running;
  const context = { folder: localFolder, url: service.url, env: running.env };
  const [key, password] = await progress.track("the demo account", demoAccountIn(context));
  const url = nameOf(service.url);
  const example = allowed.length === 0 ? "https://example.com" : `http://localhost:${allowed[0]}`;
  const missing = (await fonts) ?? [];
  console.log(
    [
      `ready after ${((Date.now() - startedAt) / 1000).toFixed(1)} s: ${url}`,
      "",
      `  curl --fail-with-body -o screenshot.jpg '${url}/v1/screenshots/take?api_key=${key}&url=${example}'`,
      "",
      ...(web.url === undefined
        ? []
        : [`  Dashboard: ${web.url}, as ${demoAccount.email}, an administrator, with the password ${password}`]),
      allowed.length === 0
        ? "  Pages of this machine are refused; to capture some: npm run local -- --allow 5173"
        : `  Pages of this machine are captured on ${allowed.length === 1 ? "port" : "the ports"} ${allowed.join(", ")}.`,
      ...(missing.length === 0 ? [] : [`  Missing fonts: ${missing.join(", ")}. Such characters appear as boxes.`, `  ${fontAdvice}`]),
      `  The key is in .local/api-key, the log in ${relative(root, running.logFile)}. Ctrl-C stops everything.`,
    ].join("\n"),
  );
  const stopped = new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined), { once: true }));
  const failure = await Promise.race([service.ended, web.ended, stopped]);
  if (failure === undefined) return 0;
  console.error(failure);
  return 1;
}

/** The URL as the documentation writes it. */
function nameOf(url: string): string {
  return url.replace("127.0.0.1", "localhost");
}

/** The demo account's key and password. Also creates the account for load tests. */
async function demoAccountIn(context: Parameters<typeof keyOf>[1]): Promise<[key: string, password: string]> {
  const [demo] = await Promise.all([keyAndPasswordOf(demoAccount, context, signal), keyOf(unlimitedAccount, context, signal)]);
  return demo;
}

/** Starts the dashboard. If it could not be built, prints the reason; the API works without it. */
async function startBuiltWeb(
  built: string | Error,
  env: Environment,
  stopping: AbortSignal,
): Promise<AsyncDisposable & Partial<Pick<RunningWeb, "url" | "ended">>> {
  if (typeof built !== "string") {
    stopping.throwIfAborted();
    console.error(`There is no dashboard, because it could not be built. ${built.message}`);
    return { [Symbol.asyncDispose]: async () => {}, ended: new Promise(() => {}) };
  }
  const webEnv = { WEB_LISTEN_HOST: env.WEB_HOST ?? "127.0.0.1", API_PUBLIC_URL: nameOf(env.WEB_SERVER_URL ?? ""), ...env };
  const starting = startWeb(built, { env: webEnv, logFile: join(localFolder, "web.log") }, stopping);
  const { url, ended, stop } = await progress.track("the dashboard's server", starting);
  return { url, ended, [Symbol.asyncDispose]: stop };
}

/** Takes one screenshot with a temporary service, which also allows the ports remembered from earlier starts. */
async function captureOnce(url: string, file: string, named: number[] | undefined): Promise<number> {
  const format = formatOf(file);
  await using folder = await throwAwayFolder();
  const port = String(await freePort());
  // No dashboard is running, so its default port need not be blocked for the page.
  const own = { PORT: port, WEB_PORT: port, WEB_PUBLIC_URL: `http://localhost:${port}` };
  const env = withAllowed({ ENABLE_METRICS: "false", ...settings(), ...own }, await allowedPorts(localFolder, named));
  await using running = await startWhole({ folder: folder.path, throwAway: true, env }, signal);
  const key = await keyOf(demoAccount, { folder: folder.path, url: running.service.url, env: running.env }, signal);
  const query = new URLSearchParams({ api_key: key, url, format });
  const response = await fetch(`${running.service.url}/v1/screenshots/take?${query}`, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(120_000)]),
  });
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) {
    console.error(`${response.status}: ${errorMessage(body.toString())}${hintFor(body.toString(), url)}`);
    if (response.status >= 500) console.error(await logEnd(running.logFile));
    return 1;
  }
  await writeFile(file, body);
  console.log(`${file}: ${body.length} bytes, ${response.headers.get("content-type")}`);
  return 0;
}

/** The first format with the file's extension; jpeg if it has none. @throws {Error} for an unknown extension. */
function formatOf(file: string): Format {
  const extension = extname(file).slice(1).toLowerCase();
  const format = formats.find((one) => extensions[one] === extension || one === extension);
  if (format !== undefined) return format;
  if (extension === "") return "jpeg";
  const valid = [...new Set(Object.values(extensions))].map((one) => `.${one}`).join(", ");
  throw new Error(`${basename(file)} must end in one of ${valid}, not in .${extension}.`);
}

function errorMessage(body: string): string {
  try {
    const { error, details } = JSON.parse(body) as { error: string; details?: { parameter: string; message: string }[] };
    return [error, ...(details ?? []).map(({ parameter, message }) => `${parameter}: ${message}`)].join("\n");
  } catch {
    return body;
  }
}

/** A hint for pages on this machine or its network, whose host must be allowed by a setting. */
function hintFor(body: string, target: string): string {
  if (!/"code":"(target_blocked|name_not_resolved)"/.test(body)) return "";
  const { href, hostname, port: given, protocol } = new URL(target);
  const port = Number(given) || (protocol === "https:" ? 443 : 80);
  const once = `--once '${href.replaceAll("'", "%27")}' FILE`;
  if (loopbackHosts.includes(hostname)) return `\nTo capture it:\n  npm run local -- --allow ${port} ${once}`;
  const allowed = [process.env.EGRESS_ALLOWED_HOSTS, `${hostname}:${port}`].filter(Boolean).join(",");
  return `\nIf the page is on your network, allow its host:\n  EGRESS_ALLOWED_HOSTS=${allowed} npm run local -- ${once}`;
}

/** The end of the service's log, which is deleted along with its folder. */
async function logEnd(logFile: string): Promise<string> {
  return (await readFile(logFile, "utf8")).trim().split("\n").slice(-10).join("\n");
}

function portSetting(name: string, defaultPort: number): number {
  const text = process.env[name];
  const port = Number(text || defaultPort);
  if (!Number.isInteger(port) || port < 1 || port > 65535)
    throw new Error(`${name} is ${JSON.stringify(text)}; it must be an integer from 1 to 65535.`);
  return port;
}

async function servicePort(): Promise<number> {
  const port = portSetting("PORT", servicePortDefault);
  if (await isFree(port)) return port;
  throw new Error(`Port ${port} is in use. Choose another: PORT=${port + 1} npm run local`);
}

/** The first free port from `first` on, excluding `taken`. */
async function freePortFrom(first: number, taken: number[]): Promise<number> {
  for (let port = first; port <= 65_535; port++) if (!taken.includes(port) && (await isFree(port))) return port;
  throw new Error(`There is no free port from ${first} on: set WEB_PORT.`);
}

/** The default port, or a random one if it is in use or `taken`. */
async function metricsPort(taken: number[]): Promise<number> {
  return !taken.includes(9090) && (await isFree(9090)) ? 9090 : freePort();
}
