/** The Atom feed of a watch. */

import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { SaxesParser } from "saxes";
import { v7 } from "uuid";
import { fileScope } from "../../support/scope.ts";
import { productPage, startWatching } from "./watching.ts";

const { site, service, settled, run } = await startWatching(fileScope());

interface Element {
  name: string;
  attributes: Record<string, string>;
  text: string;
  within: string[];
}

/** Its elements in document order; throws unless it is well-formed XML with namespaces. */
function parse(xml: string): Element[] {
  const parser = new SaxesParser({ xmlns: true });
  const found: Element[] = [];
  const open: Element[] = [];
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ local, uri, attributes }) => {
    assert.equal(uri, "http://www.w3.org/2005/Atom");
    const plain = Object.fromEntries(Object.entries(attributes).map(([name, { value }]) => [name, value]));
    const element = { name: local, attributes: plain, text: "", within: open.map(({ name }) => name) };
    found.push(element);
    open.push(element);
  });
  parser.on("text", (text) => {
    const here = open.at(-1);
    if (here) here.text += text;
  });
  parser.on("closetag", () => void open.pop());
  parser.write(xml).close();
  return found;
}

test("watch feed: valid Atom with the reported runs, whatever characters names contain; its URL is signed", async () => {
  const { key } = await service.createAccount();
  site.serve({ "/": productPage("19 €") });
  const { id, feed_url } = await settled(key, { url: `${site.origin}/?a=1&b=2`, name: `<Shop> & "more" ]]> \u0001` });
  const read = async () => {
    const response = await fetch(feed_url);
    assert.deepEqual([response.status, response.headers.get("content-type")], [200, "application/atom+xml; charset=utf-8"]);
    return parse(await response.text());
  };
  const empty = await read();
  assert.deepEqual(
    empty.filter(({ name }) => name === "entry"),
    [],
  );
  site.serve({ "/": productPage("21 €") });
  const changed = await run(key, id);
  const same = await run(key, id);
  assert.equal(same.reported, false, JSON.stringify([changed, same]));
  site.serve({ "/": (_request, response) => void response.writeHead(500).end("out of order") });
  const failed = await run(key, id);

  const all = await read();
  const textOf = (name: string, within = "feed") =>
    all.filter((one) => one.name === name && one.within.at(-1) === within).map(({ text }) => text);
  assert.deepEqual(textOf("id", "entry"), [`urn:uuid:${failed.id}`, `urn:uuid:${changed.id}`]);
  assert.deepEqual([textOf("id"), textOf("title")], [[`urn:uuid:${id}`], ['<Shop> & "more" ]]> \ufffd']]);
  for (const within of ["feed", "entry"]) for (const updated of textOf("updated", within)) assert.ok(Date.parse(updated) > 0, updated);
  assert.match(textOf("title", "entry")[0] ?? "", /^Failed: .*500/);
  const [, content = ""] = textOf("content", "entry");
  assert.match(content, /19 €.*21 €/);
  const image = /<img src="([^"]+)"/.exec(content)?.[1]?.replaceAll("&amp;", "&") ?? "";
  assert.equal((await fetch(image)).headers.get("content-type"), "image/png");
  const self = all.find(({ attributes }) => attributes.rel === "self");
  assert.equal(self?.attributes.href, feed_url);

  const wrong = feed_url.replace(/signature=./, (text: string) => (text.endsWith("A") ? "signature=B" : "signature=A"));
  for (const address of [
    wrong,
    feed_url.replace(/\?.*/, ""),
    feed_url.replace(id, v7()),
    image.replace(changed.id, failed.id),
    `${image}x`,
  ]) {
    const refused = await fetch(address);
    assert.deepEqual([refused.status, (await refused.json()).code], [403, "signature_invalid"], address);
  }
});

test("watch feed: concurrent requests for a run's difference image share one rendering", async () => {
  const { key } = await service.createAccount();
  site.serve({ "/many": productPage("19 €") });
  const { id } = await settled(key, { url: `${site.origin}/many` });
  site.serve({ "/many": productPage("21 €") });
  const { difference_link: link } = await run(key, id);
  const responses = await Promise.all(Array.from({ length: 200 }, () => fetch(link)));
  assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200]);
  const images = await Promise.all(responses.map((response) => response.arrayBuffer()));
  for (const image of images) assert.equal(image.byteLength, images[0]?.byteLength);
  const gone = new AbortController();
  const abandoned = fetch(link, { signal: gone.signal });
  gone.abort();
  await assert.rejects(abandoned);
  assert.equal((await fetch(link)).status, 200, "even after a client has disconnected");
});

test("watch feed: an image that storage sends too slowly, for a client that has gone, delays no other account", async (t) => {
  const linkOf = async (path: string) => {
    const { key } = await service.createAccount();
    site.serve({ [path]: productPage("19 €") });
    const { id } = await settled(key, { url: `${site.origin}${path}` });
    site.serve({ [path]: productPage("21 €") });
    return (await run(key, id)).difference_link;
  };
  const [slow, other] = [await linkOf("/slow"), await linkOf("/other")];
  const { store } = service.services;
  const { get } = store;
  t.after(() => Object.assign(store, { get }));
  const opened = Promise.withResolvers<void>();
  store.get = async (...of) => {
    store.get = get;
    const found = await get(...of);
    found?.stream.destroy();
    opened.resolve();
    return found && { ...found, stream: new Readable({ read: () => {} }) };
  };
  const gone = new AbortController();
  const abandoned = fetch(slow, { signal: gone.signal });
  await opened.promise;
  gone.abort();
  await assert.rejects(abandoned);
  const response = await fetch(other, { signal: AbortSignal.timeout(8_000) });
  assert.equal(response.status, 200);
});
