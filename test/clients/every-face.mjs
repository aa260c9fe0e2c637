/**
 * Makes each call of the TypeScript client once, and returns the results in a form that JSON can represent. Runs wherever the client
 * does: in Node 20, and in a page.
 */

/**
 * @param {typeof import("../../clients/typescript/src/index.ts")} client the built client
 * @param {{ url: string, key: string, secret: string, page: string }} settings `secret`: the key's signing secret; `page`: a URL to
 * capture
 */
export async function everyFace({ createTintype, TintypeError }, { url, key, secret, page }) {
  const tintype = createTintype({ url, key });
  const taken = await tintype.take({ url: page, width: 60, height: 40, format: "png", hide_selectors: ["#a", "#b, #c"] });
  const signature = [...taken.data.subarray(0, 4)];
  const described = await tintype.describe({ url: page, width: 60, height: 40 });
  const link = await tintype.signedUrl(
    { url: `${page}?a=1&b=ä+%20`, width: 60, height: 40, hide_selectors: ["#a, #b"], format: "png" },
    { secret, expiresAt: new Date(Date.now() + 60_000) },
  );
  const linked = await fetch(link);
  const changed = await fetch(link.replace("width=60", "width=61"));

  const capture = await tintype.captures.create({ url: page, outputs: [{ name: "one", width: 60 }, { format: "text" }] });
  const queued = await tintype.captures.create({ url: page, async: true, outputs: [{ width: 60 }] });
  const ended = await tintype.captures.wait(queued.id, { timeoutMs: 60_000 });
  const read = await tintype.captures.get(queued.id);
  const canceled = await tintype.captures.cancel(queued.id).catch((error) => error.code);

  const request = { shared: { width: 60 }, captures: [{ url: page }, { url: page, name: "wrong", selector: "#nowhere" }] };
  const batch = await tintype.batches.create(request);
  const states = [];
  for await (const state of tintype.batches.progress(batch.id)) states.push(state);
  const results = [];
  for await (const result of tintype.batches.results(batch.id)) results.push(`${result.batch.name}: ${result.status}`);
  const rest = [];
  for await (const { id } of tintype.batches.results(batch.id, { after: (await first(tintype.batches.results(batch.id))).id }))
    rest.push(id);
  const zip = (await tintype.batches.zip(batch.id)).getReader();
  const { value: chunk } = await zip.read();
  await zip.cancel();
  const again = await tintype.batches.retry(batch.id, request);
  const sameAgain = await tintype.batches.retry(batch.id, request);
  await tintype.batches.cancel(again.id);

  const state = { cookies: [{ name: "sid", value: "1", domain: "example.com", path: "/" }], origins: [] };
  const saved = await tintype.sessions.save({ name: "shop", state });
  const sessions = [];
  for await (const { name } of tintype.sessions.list()) sessions.push(name);
  const { version } = await tintype.sessions.get("shop");
  await tintype.sessions.remove("shop");

  const bucket = { name: "archive", endpoint: page, bucket: "shots", access_key_id: "test", secret_access_key: "test" };
  const { template } = await tintype.destinations.save(bucket);
  const destinations = (await tintype.destinations.list()).map(({ name }) => name);
  const tested = await tintype.destinations.test("archive");
  await tintype.destinations.remove("archive");
  const gone = await tintype.destinations.get("archive").catch((error) => error);

  const watch = await tintype.watches.create({ url: page, every: "30d", name: "of a test", width: 60 });
  const watches = [];
  for await (const { name } of tintype.watches.list()) watches.push(name);
  const paused = await tintype.watches.pause(watch.id);
  const renamed = await tintype.watches.change(watch.id, { name: "renamed" });
  await tintype.watches.run(watch.id).catch(() => {}); // its first run may be in progress
  const runs = [];
  for await (const { id } of tintype.watches.runs(watch.id)) runs.push(id);
  const removed = await tintype.watches.remove(watch.id);

  const refused = await tintype.take({ url: page, quality: 0 }).catch((error) => error);
  const away = await createTintype({ url: "http://127.0.0.1:2", key, retries: 0 })
    .take({ url: page })
    .catch((error) => error);
  const abort = new AbortController();
  const aborted = tintype.take({ url: page, delay: 20 }, { signal: abort.signal }).catch((error) => error);
  abort.abort("enough");
  const late = await tintype.take({ url: page, delay: 20 }, { timeoutMs: 50 }).catch((error) => error);

  return {
    signature,
    taken: {
      ...taken,
      data: taken.data.byteLength > 0,
      id: isId(taken.id),
      requestId: taken.requestId.startsWith("req_"),
      etag: taken.etag !== "",
      timings: taken.timings.total > 0,
      rateLimit: [taken.rateLimit.limit, taken.rateLimit.remaining, taken.rateLimit.resetsAt instanceof Date],
    },
    described: [described.width, described.verdict.kind, described.url?.startsWith(url)],
    signed: [linked.status, linked.headers.get("content-type"), changed.status],
    capture: capture.outputs.map(({ name }) => name),
    ended: [ended.status, read.status, ended.outputs.length, canceled],
    batch: [states.at(-1).status, states.at(-1).counts, results.sort(), rest.length, [...chunk.subarray(0, 2)]],
    retried: [again.total, again.id === sameAgain.id],
    session: [saved.hosts, sessions, version],
    destination: [template, destinations, tested.works, gone.code],
    watch: [watches, paused.state, renamed.name, runs.every(isId), removed ?? null],
    refused: [
      refused instanceof TintypeError,
      refused.code,
      refused.status,
      refused.retryable,
      refused.details.map(({ parameter }) => parameter),
    ],
    away: [away.code, away.status, away.retryable],
    aborted: await aborted,
    late: [late.code, late.message],
  };
}

async function first(items) {
  for await (const item of items) return item;
}

function isId(text) {
  return /^[0-9a-f-]{36}$/.test(text);
}
