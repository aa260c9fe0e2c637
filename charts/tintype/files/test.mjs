/** `helm test`: the API is ready, takes a picture, and refuses a private address. Without a key only the first. */

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

const target = `${API_URL}/health/live`;
const refused = await take({ url: target });
const { code } = await refused.json();
if (code !== "target_blocked") throw new Error(`${target} was not refused as private: ${refused.status} ${code}`);
console.log(`${target} was refused`);
