/** Objects in buckets of accounts: addresses, keys with special characters, streams, and what the client doesn't do. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { Readable } from "node:stream";
import { type TestContext, test } from "node:test";
import { CreateBucketCommand, GetObjectCommand, HeadObjectCommand } from "@aws-sdk/client-s3";
import { type BucketAddress, openBucket } from "../../src/storage/bucket.ts";
import { longestTurnAtBest } from "../support/longest-turn.ts";
import { isSigned } from "./signature.ts";
import { accessKeyId, observer, secretAccessKey, startStorage } from "./storage-server.ts";

const { signal } = new AbortController();
const secrets = { [accessKeyId]: secretAccessKey };
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

/** A bucket on a server at `localhost`, which is connected to without being resolved. */
async function setUp(t: TestContext, changes: Partial<BucketAddress> = {}) {
  const server = await startStorage(t);
  const client = observer(t, server.port);
  await client.send(new CreateBucketCommand({ Bucket: "pictures" }));
  server.requests.length = 0;
  const hosts: string[] = [];
  const address = { endpoint: `http://localhost:${server.port}`, bucket: "pictures", region: "eu-central-1", pathStyle: true, ...changes };
  const bucket = openBucket(address, { accessKeyId, secretAccessKey }, async (host, port) => {
    hosts.push(host);
    return connect(port, "127.0.0.1");
  });
  return { server, client, bucket, hosts };
}

for (const pathStyle of [true, false]) {
  test(`an object is put and removed by signed requests to the right host, path style ${pathStyle}`, async (t) => {
    const { server, client, bucket, hosts } = await setUp(t, { pathStyle });
    const content = Buffer.from("an image");
    await bucket.put({ key: "a/b.png", contentType: "image/png", bytes: content.length, sha256: sha256(content), content }, signal);
    const head = await client.send(new HeadObjectCommand({ Bucket: "pictures", Key: "a/b.png" }));
    assert.deepEqual([head.ContentType, head.ContentLength], ["image/png", content.length]);
    await bucket.remove("a/b.png", signal);
    await assert.rejects(client.send(new HeadObjectCommand({ Bucket: "pictures", Key: "a/b.png" })));
    const own = server.requests.filter(({ headers }) => headers.authorization?.includes(accessKeyId));
    const host = pathStyle ? "localhost" : "pictures.localhost";
    assert.deepEqual(hosts, [host, host]);
    assert.deepEqual(
      own.map((request) => [request.method, request.host, request.path.split("?")[0], isSigned(request, secrets)]),
      ["PUT", "DELETE"].map((method) => [method, `${host}:${server.port}`, pathStyle ? "/pictures/a/b.png" : "/a/b.png", true]),
    );
    assert.ok(own.every(({ headers }) => headers.expect === undefined && headers.connection === "close"));
    assert.ok(own.every(({ headers }) => /^Tintype\/\S+ \(destination\)$/.test(headers["user-agent"] ?? "")));
  });
}

test("AWS settings in the environment don't affect a request", async (t) => {
  const { server, bucket } = await setUp(t);
  const invalid = {
    AWS_DEFAULTS_MODE: "none",
    AWS_MAX_ATTEMPTS: "none",
    AWS_AUTH_SCHEME_PREFERENCE: "sigv4a",
    AWS_SIGV4A_SIGNING_REGION_SET: "none",
    AWS_SDK_UA_APP_ID: "none",
    AWS_REQUEST_CHECKSUM_CALCULATION: "none",
    AWS_RESPONSE_CHECKSUM_VALIDATION: "none",
    AWS_S3_USE_ARN_REGION: "none",
    AWS_S3_DISABLE_EXPRESS_SESSION_AUTH: "none",
    AWS_USE_DUALSTACK_ENDPOINT: "none",
    AWS_USE_FIPS_ENDPOINT: "none",
    AWS_ENDPOINT_URL: "http://none.invalid",
    AWS_ENDPOINT_URL_S3: "http://none.invalid",
    AWS_PROFILE: "none",
  };
  Object.assign(process.env, invalid);
  t.after(() => Object.keys(invalid).forEach((name) => void delete process.env[name]));
  const content = Buffer.from("an image");
  await bucket.put({ key: "a.png", contentType: "image/png", bytes: content.length, sha256: sha256(content), content }, signal);
  assert.equal(server.requests.length, 1);
  const [request] = server.requests;
  assert.ok(request && isSigned(request, secrets));
  assert.match(request.headers["user-agent"] ?? "", /^Tintype\/\S+ \(destination\)$/);
});

test("a stream of several megabytes, and a key with every character of a template, arrive as they are", async (t) => {
  const { server, client, bucket } = await setUp(t);
  const part = Buffer.alloc(65_536, "x");
  const bytes = Buffer.concat(Array.from({ length: 64 }, () => part));
  const key = "a=b/c@d+e/f-g_h.i/AZ09.png";
  const content = Readable.from(Array.from({ length: 64 }, () => part));
  await bucket.put({ key, contentType: "image/png", bytes: bytes.length, sha256: sha256(bytes), content }, signal);
  assert.ok(isSigned(server.requests.at(-1) ?? assert.fail(), secrets));
  const { Body } = await client.send(new GetObjectCommand({ Bucket: "pictures", Key: key }));
  assert.ok(bytes.equals((await Body?.transformToByteArray()) ?? Buffer.alloc(0)));
});

test("an error of the stream is the failure, and an abort ends the request", async (t) => {
  const { server, bucket } = await setUp(t);
  const failing = Readable.from(
    (async function* () {
      yield Buffer.from("some of it");
      throw new Error("the source failed");
    })(),
  );
  const about = { key: "a", contentType: "text/plain", bytes: 100, sha256: sha256(Buffer.alloc(0)) };
  await assert.rejects(bucket.put({ ...about, content: failing }, signal), /the source failed/);
  const gone = new AbortController();
  server.before = () => {
    gone.abort(new Error("enough"));
    return new Promise<undefined>(() => {});
  };
  await assert.rejects(bucket.put({ ...about, bytes: 1, content: Buffer.from("x") }, gone.signal), /enough/);
});

test("a refusal has the status and the error's name, and nothing else that the server says", async (t) => {
  const { server, bucket } = await setUp(t);
  server.before = () => ({ status: 403, xml: `<Error><Code>InvalidAccessKeyId</Code><Message>${secretAccessKey}</Message></Error>` });
  const failure = await bucket.remove("a", signal).catch((error) => error);
  assert.deepEqual({ ...failure }, { name: "BucketRefused", status: 403, code: "InvalidAccessKeyId", retryAfter: undefined });
  assert.ok(!String(failure.stack).includes(secretAccessKey) && failure.cause === undefined);
});

test("a refusal's code is one that the server's XML states, never a name of our own error", async (t) => {
  const { server, bucket } = await setUp(t);
  const refusedAs = async (xml: string, status = 403) => {
    server.before = () => ({ status, xml });
    const failure = await bucket.remove("a", signal).catch((error) => error);
    return [failure.name, failure.status, failure.code];
  };
  const depth = 9_000;
  const codeless = [
    "<a>".repeat(depth) + "</a>".repeat(depth),
    "<a>".repeat(depth),
    "<Error><__proto__>x</__proto__></Error>",
    "<__proto__><a>x</a></__proto__>",
    "<Error><Code><a>x</a></Code></Error>",
    "<Error><Code>Access Denied</Code></Error>",
    `<Error><Code>${"A".repeat(65)}</Code></Error>`,
    `<Error><Code>Bad${accessKeyId}</Code></Error>`,
    `<Error><Code>${secretAccessKey.split("-")[1]}</Code></Error>`,
    "<Error></Error>",
    "not XML",
    "",
  ];
  for (const xml of codeless) assert.deepEqual(await refusedAs(xml), ["BucketRefused", 403, undefined], xml.slice(0, 60));
  assert.deepEqual(await refusedAs("", 404), ["BucketRefused", 404, undefined]);
  for (const code of ["AccessDenied", "Client.InvalidUserID.NotFound", "NoSuchBucket", "S3001"])
    assert.deepEqual(await refusedAs(`<Error><Code>${code}</Code></Error>`), ["BucketRefused", 403, code]);
});

test("Retry-After is kept if it is a number of seconds or a date", async (t) => {
  let retryAfter = "";
  const server = createServer((_request, response) => response.writeHead(503, { "retry-after": retryAfter }).end());
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const address = { endpoint: `http://localhost:${port}`, bucket: "pictures", region: "eu-central-1", pathStyle: true };
  const bucket = openBucket(address, { accessKeyId, secretAccessKey }, async () => connect(port, "127.0.0.1"));
  for (const [sent, kept] of [
    ["120", "120"],
    ["Fri, 31 Dec 1999 23:59:59 GMT", "Fri, 31 Dec 1999 23:59:59 GMT"],
    [accessKeyId, undefined],
    [`Fri, 31 Dec 1999 23:59:59 GMT ${accessKeyId}`, undefined],
    ["", undefined],
  ] as const) {
    retryAfter = sent;
    const failure = await bucket.remove("a", signal).catch((error) => error);
    assert.deepEqual([failure.name, failure.retryAfter], ["BucketRefused", kept]);
  }
});

test("no response occupies the event loop, whatever markup it consists of", async (t) => {
  const { server, bucket } = await setUp(t);
  const code = "<Error><Code>AccessDenied</Code></Error>";
  const filled = (markup: string, end: string) => markup.repeat((65_536 - Buffer.byteLength(end)) / markup.length) + end;
  for (const xml of [filled("<!DOCTYPE>", `${code}…`), filled("<a>", code), filled("&#65;", code), filled("<Code>", code)]) {
    server.before = () => ({ status: 403, xml });
    const { result, ms } = await longestTurnAtBest(() => bucket.remove("a", signal).catch((error) => error));
    assert.equal(result.name, "BucketRefused");
    assert.ok(ms < 100, `${ms} ms for ${xml.slice(0, 20)}`);
  }
});

test("an object counts as written only after a final response of HTTP/1", async (t) => {
  const put = async (answer: string, text = "") => {
    const server = createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(`${answer}\r\ncontent-length: ${text.length}\r\n\r\n${text}`));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const address = { endpoint: `http://localhost:${port}`, bucket: "pictures", region: "auto", pathStyle: true };
    const content = Buffer.from("an image");
    const bucket = openBucket(address, { accessKeyId, secretAccessKey }, async () => connect(port, "127.0.0.1"));
    await bucket.put({ key: "a.png", contentType: "image/png", bytes: content.length, sha256: sha256(content), content }, signal);
  };
  await put("HTTP/1.1 200 OK");
  await put("HTTP/1.0 204 No Content");
  for (const answer of ["HTTP/1.1 000 OK", "HTTP/1.1 099 OK", "HTTP/1.1 101 OK", "HTTP/0.9 200 OK", "HTTP/2.0 200 OK", "HTTP/1.1 20 OK"])
    await assert.rejects(put(answer), { code: "HPE_INVALID_STATUS" }, answer);
  const error = "<Error><Code>InternalError</Code></Error>";
  await assert.rejects(put("HTTP/1.1 200 OK", error), { name: "BucketRefused", status: 500, code: "InternalError" });
});
