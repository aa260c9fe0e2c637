/** `format=har`: the requests of the page, as HTTP Archive 1.2 (http://www.softwareishard.com/blog/har-12-spec/). */

import type { Protocol } from "devtools-protocol";
import { runInTurns } from "../../shared/turns.ts";
import { version } from "../../shared/version.ts";
import { networkError } from "../loading/traffic.ts";
import type { Work } from "../option-group.ts";
import type { CaptureOptions } from "../options.ts";
import type { RecordedRequest } from "./request-record.ts";
import { isSecretName, removed, withoutSecrets } from "./secrets.ts";

/** Number of entries written in one turn of the event loop. */
const entriesPerTurn = 50;
/** Maximum total length of all bodies, in characters. */
const bodiesMax = 10_000_000;
/** Timeout for reading the bodies. */
const bodiesMs = 5_000;
/** Number of bodies read concurrently. */
const readAtOnce = 4;
const textTypes =
  /^(text\/|application\/(json|javascript|x-javascript|xml|x-ndjson|graphql)|[a-z]+\/[\w.-]{1,100}\+(json|xml)|image\/svg\+xml)/i;

/** Writes what has been recorded since the navigation. Replaces values whose names suggest that they are credentials. */
export async function captureHar(work: Work, options: CaptureOptions): Promise<Buffer> {
  const { tab, record, warn } = work;
  if (!record) throw new TypeError("nothing was recorded");
  const requests = record.requests().map((request) => ({ ...request }));
  const omitted = record.omitted();
  if (omitted > 0) warn(`the page sent ${requests.length + omitted} requests: format=har contains the first ${requests.length}`);
  const bodies = options.har_bodies === "text" ? await readBodies(work, requests) : new Map<RecordedRequest, Body>();
  const title = await tab.evaluate(() => document.title.slice(0, 300));
  const { product } = await tab.send("Browser.getVersion");
  const [first] = requests;
  const log = {
    version: "1.2",
    creator: { name: "Tintype", version },
    browser: { name: "Chromium", version: product.split("/")[1] ?? "" },
    pages: [
      {
        startedDateTime: new Date(first?.wallTime ?? Date.now()).toISOString(),
        id: pageId,
        title,
        pageTimings: {
          onContentLoad: since(first, record.events.content),
          onLoad: since(first, record.events.load),
        },
      },
    ],
  };
  const sent = namesSent(options);
  const parts: Buffer[] = [Buffer.from(`{"log":${JSON.stringify(log).slice(0, -1)},"entries":[`)];
  await runInTurns(
    (function* () {
      for (let start = 0; start < requests.length; start += entriesPerTurn) {
        const some = requests.slice(start, start + entriesPerTurn);
        const entries = some.map((request) => JSON.stringify(entryOf(request, sent, bodies.get(request))));
        parts.push(Buffer.from(`${start === 0 ? "" : ","}\n${entries.join(",\n")}`));
        yield;
      }
    })(),
  );
  return Buffer.concat([...parts, Buffer.from("\n]}}\n")]);
}

const pageId = "page_1";

function since(first: RecordedRequest | undefined, at: number | undefined): number {
  return first && at !== undefined ? rounded(at - first.startedAt) : -1;
}

/** Names of the headers that the caller set, in lower case. Their values may be secret, whatever the names. */
function namesSent({ headers = [] }: CaptureOptions): Set<string> {
  return new Set(headers.map((line) => (line.split(":", 1)[0] ?? "").trim().toLowerCase()));
}

interface Body {
  text: string;
  encoding?: "base64";
}

async function readBodies({ tab, warn }: Work, requests: readonly RecordedRequest[]): Promise<Map<RecordedRequest, Body>> {
  const bodies = new Map<RecordedRequest, Body>();
  const wanted = requests.filter(isReadable);
  let characters = 0;
  let isComplete = true;
  const readNext = async () => {
    for (let request = wanted.shift(); request; request = wanted.shift()) {
      const body = await request.target.send("Network.getResponseBody", { requestId: request.id }).catch(() => undefined); // it was not kept
      if (!body || characters + body.body.length > bodiesMax) {
        isComplete = false;
        continue;
      }
      characters += body.body.length;
      bodies.set(request, { text: body.body, ...(body.base64Encoded ? { encoding: "base64" as const } : {}) });
    }
  };
  const isInTime = await tab.within(bodiesMs, Promise.all(Array.from({ length: readAtOnce }, readNext)));
  wanted.length = 0;
  if (!isInTime || !isComplete) warn("some bodies were left out of format=har: they were too large, or could not be read in time");
  return new Map(bodies);
}

function isReadable({ response, outcome, isRedirect, bodyBytes }: RecordedRequest): boolean {
  return outcome === "done" && !isRedirect && bodyBytes > 0 && textTypes.test(response?.mimeType ?? "");
}

function entryOf(recorded: RecordedRequest, sent: ReadonlySet<string>, body: Body | undefined) {
  const { request, response, type, initiator, wallTime, outcome, reason, isCached } = recorded;
  const timings = timingsOf(recorded);
  const { blocked, dns, connect, send, wait, receive } = timings;
  const url = withoutSecrets(request.url);
  const declared = declaredBytes(recorded);
  return {
    pageref: pageId,
    startedDateTime: new Date(wallTime).toISOString(),
    time: rounded([blocked, dns, connect, send, wait, receive].reduce((sum, part) => sum + Math.max(0, part), 0)),
    request: {
      method: request.method,
      url,
      httpVersion: protocolOf(response),
      cookies: [],
      headers: headersOf(request.headers, sent),
      queryString: [...(URL.parse(url)?.searchParams ?? [])].map(([name, value]) => ({ name, value })),
      headersSize: -1,
      bodySize: request.postDataEntries ? bytesOf(request.postDataEntries) : request.hasPostData ? -1 : 0,
    },
    response: {
      status: response?.status ?? 0,
      statusText: response?.statusText ?? "",
      httpVersion: protocolOf(response),
      cookies: [],
      headers: headersOf(response?.headers ?? {}, new Set()),
      content: { size: recorded.bodyBytes || declared, mimeType: response?.mimeType ?? "", ...body },
      redirectURL: recorded.isRedirect ? withoutSecrets(headerOf(response?.headers ?? {}, "location")) : "",
      headersSize: -1,
      bodySize: isCached || response?.fromDiskCache ? 0 : recorded.sentBytes || declared,
    },
    cache: {},
    timings,
    _resourceType: type,
    _initiator: { type: initiator.type, ...(initiator.url === undefined ? {} : { url: withoutSecrets(initiator.url) }) },
    ...(isCached || response?.fromDiskCache ? { _fromCache: true } : {}),
    ...(response?.fromServiceWorker ? { _fromServiceWorker: true } : {}),
    ...(outcome === "failed" ? { _error: networkError(reason ?? "") } : {}),
    ...(outcome === "blocked" ? { _blockedBy: reason } : {}),
    ...(outcome === "pending" ? { comment: "still pending when the page was captured" } : {}),
  };
}

/** The announced size of a body whose data Chromium doesn't report, such as a worker's script. */
function declaredBytes({ request, response }: RecordedRequest): number {
  if (request.method !== "GET" || response?.status !== 200) return 0;
  return Number.parseInt(headerOf(response.headers, "content-length"), 10) || 0;
}

function bytesOf(entries: Protocol.Network.PostDataEntry[]): number {
  return entries.reduce((sum, { bytes = "" }) => sum + Buffer.byteLength(bytes, "base64"), 0);
}

/** Chromium joins a header's values with newlines. */
function headersOf(headers: Protocol.Network.Headers, sent: ReadonlySet<string>): { name: string; value: string }[] {
  return Object.entries(headers).flatMap(([name, values]) => {
    const isSecret = isSecretName(name) || sent.has(name.toLowerCase());
    return String(values)
      .split("\n")
      .map((value) => ({ name, value: isSecret ? removed : withoutSecrets(value) }));
  });
}

function headerOf(headers: Protocol.Network.Headers, name: string): string {
  return String(Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1] ?? "");
}

function protocolOf(response: Protocol.Network.Response | undefined): string {
  return response?.protocol?.toUpperCase() ?? "";
}

/** In milliseconds; −1 for a phase that didn't happen. As the specification says, `connect` includes `ssl`. */
function timingsOf({ response, startedAt, endedAt }: RecordedRequest) {
  const timing = response?.timing;
  if (!timing)
    return {
      blocked: -1,
      dns: -1,
      connect: -1,
      ssl: -1,
      send: 0,
      wait: rounded(Math.max(0, (endedAt ?? startedAt) - startedAt)),
      receive: 0,
    };
  const begunAt = timing.requestTime * 1000;
  const part = (from: number, to: number) => (from >= 0 && to >= from ? rounded(to - from) : -1);
  const firstStep = [timing.dnsStart, timing.connectStart, timing.sendStart].find((at) => at >= 0) ?? 0;
  return {
    blocked: rounded(Math.max(0, begunAt + firstStep - startedAt)),
    dns: part(timing.dnsStart, timing.dnsEnd),
    connect: part(timing.connectStart, timing.connectEnd),
    ssl: part(timing.sslStart, timing.sslEnd),
    send: Math.max(0, part(timing.sendStart, timing.sendEnd)),
    wait: Math.max(0, part(timing.sendEnd, timing.receiveHeadersEnd)),
    receive: rounded(Math.max(0, (endedAt ?? begunAt + timing.receiveHeadersEnd) - begunAt - timing.receiveHeadersEnd)),
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
