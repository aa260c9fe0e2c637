/** `helm test`: the API is ready, takes a picture, and refuses a private address. Without a key only the first. */

import { lookup } from "node:dns/promises";

const { API_URL, API_KEY } = process.env;

const ready = await fetch(`${API_URL}/health/ready`);
if (ready.status !== 200) throw new Error(`the API is not ready: ${ready.status} ${await ready.text()}`);
console.log("the API is ready");

if (!API_KEY) {
  console.log("SKIPPED: the picture and the refusal, because test.keySecret is not set");
  process.exit();
}

const take = (body) =>
  fetch(`${API_URL}/v1/screenshots/take`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${API_KEY}` },
    body: JSON.stringify({ format: "png", width: 320, height: 200, ...body }),
  });

const picture = await take({ html: "<body style='background:#284'><h1>Tintype</h1>" });
const bytes = Buffer.from(await picture.arrayBuffer());
const isPng = bytes.length > 500 && bytes.toString("latin1", 1, 4) === "PNG";
if (picture.status !== 200 || !isPng) throw new Error(`no picture: ${picture.status} ${bytes.subarray(0, 300)}`);
console.log(`a picture of ${bytes.length} bytes`);

const { address, family } = await lookup(new URL(API_URL).hostname);
const api = new URL("/health/live", API_URL);
// A name with a private address is answered like one that doesn't exist, so that pages don't learn internal names; localhost is no secret.
await assertRefused(api.href, "name_not_resolved", "target_blocked");
api.hostname = family === 6 ? `[${address}]` : address;
await assertRefused(api.href, "target_blocked");

async function assertRefused(target, ...expected) {
  const refused = await take({ url: target });
  const { code } = refused.ok ? { code: "a picture" } : await refused.json();
  if (!expected.includes(code)) throw new Error(`${target} was not refused as ${expected.join(" or ")}: ${refused.status} ${code}`);
  console.log(`${target} was refused: ${code}`);
}
