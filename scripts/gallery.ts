/** `npm run gallery`: takes screenshots with every option, and shows them on one page. */

import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { parameterNames } from "../src/capture/options.ts";
import { takeGroups } from "../src/screenshots/take/take-options.ts";
import { contentTypes, extensions, formats } from "../src/shared/formats.ts";
import { type Case, cases, unseen } from "./gallery/cases.ts";
import { html, startGallerySite } from "./gallery/site.ts";
import { runCommand } from "./stack/command.ts";
import { localFolder, root, throwAwayFolder } from "./stack/folders.ts";
import { interruption } from "./stack/interrupt.ts";
import { keyOf, unlimitedAccount } from "./stack/keys.ts";
import { freePort } from "./stack/ports.ts";
import { settings, startWhole } from "./stack/whole.ts";

interface Shown extends Case {
  query: string;
  /** File name; undefined if the request failed. */
  file: string | undefined;
  /** The other files, if an image was captured in slices. */
  slices?: string[];
  /** Contents of a text file. */
  text?: string;
  note: string;
}

/** Number of characters of a text that are shown. */
const textMax = 4_000;
const signal = interruption();
const output = join(localFolder, "gallery");
await runCommand(main, signal);

async function main(): Promise<number> {
  const names = takeGroups.flatMap((group) => parameterNames(group));
  const missing = names.filter((name) => !(name in cases) && !unseen.has(name));
  if (missing.length > 0) throw new Error(`scripts/gallery/cases.ts has no case for ${missing.join(", ")}.`);

  await rm(output, { recursive: true, force: true });
  await mkdir(output, { recursive: true });
  await using folder = await throwAwayFolder();
  await using site = await startGallerySite();
  const env = { ...settings(), ENABLE_METRICS: "false", PORT: String(await freePort()), EGRESS_ALLOWED_HOSTS: site.host };
  await using running = await startWhole({ folder: folder.path, throwAway: true, env }, signal);
  const { url } = running.service;
  const key = await keyOf(unlimitedAccount, { folder: folder.path, url, env: running.env }, signal);

  const sections: string[] = [];
  let failures = 0;
  for (const group of takeGroups) {
    const rows: string[] = [];
    for (const name of parameterNames(group)) {
      for (const [index, one] of (cases[name] ?? []).entries()) {
        const file = `${name}-${index + 1}`;
        const isCut = "slice_height" in one.parameters;
        const shown = await (isCut ? takeSlices(url, key, site.origin, file, one) : take(url, key, site.origin, file, one));
        if (!shown.file) {
          failures += 1;
          console.error(`${name}: ${shown.note}`);
        }
        rows.push(figure(name, shown));
      }
    }
    if (rows.length > 0) sections.push(`<h2>${group.title}</h2><div class="grid">${rows.join("\n")}</div>`);
  }
  const page = join(output, "index.html");
  await writeFile(page, pageOf(sections));
  console.log(
    `${relative(root, page)}: ${Object.values(cases).flat().length - failures} screenshots${failures > 0 ? `, ${failures} failed` : ""}`,
  );
  return failures > 0 ? 1 : 0;
}

async function take(service: string, key: string, origin: string, name: string, one: Case): Promise<Shown> {
  const query = new URLSearchParams({ ...("format" in one.parameters ? {} : { format: "png" }), ...one.parameters });
  const source = "html" in one.parameters || "markdown" in one.parameters ? "base_url" : "url";
  const full = new URLSearchParams([["api_key", key], [source, `${origin}${one.page}`], ...query]);
  const response = await fetch(`${service}/v1/screenshots/take?${full}`, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]),
  });
  const body = Buffer.from(await response.arrayBuffer());
  const shown = { ...one, query: decodeURIComponent(String(query)) };
  if (response.status !== 200) return { ...shown, file: undefined, note: `${response.status}: ${body}` };
  const type = response.headers.get("content-type") ?? "";
  const format = formats.find((one) => contentTypes[one] === type) ?? "png";
  const file = `${name}.${extensions[format]}`;
  await writeFile(join(output, file), body);
  const warnings = response.headers.get("x-warnings");
  const text = /^(text\/(plain|markdown)|application\/json|multipart)/.test(type) ? { text: body.toString().slice(0, textMax) } : {};
  return {
    ...shown,
    ...text,
    file,
    note: [`${Math.ceil(body.length / 1000)} kB`, ...(warnings ? [`warning: ${warnings}`] : [])].join(", "),
  };
}

/** Uses `POST /v1/captures`, which returns slices. */
async function takeSlices(service: string, key: string, origin: string, name: string, one: Case): Promise<Shown> {
  const { page, parameters } = one;
  const response = await fetch(`${service}/v1/captures`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ url: `${origin}${page}`, outputs: [{ format: "png", ...parameters }] }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]),
  });
  const shown = { ...one, query: new URLSearchParams(parameters).toString() };
  const text = await response.text();
  if (response.status !== 200) return { ...shown, file: undefined, note: `${response.status}: ${text}` };
  const found: { slices: { y: number; url: string }[] }[] = JSON.parse(text).outputs;
  const slices = found.flatMap((entry) => entry.slices);
  const files = slices.map((_, index) => `${name}-slice-${index + 1}.png`);
  for (const [index, { url }] of slices.entries())
    await writeFile(join(output, files[index] ?? ""), Buffer.from(await (await fetch(url, { signal })).arrayBuffer()));
  return { ...shown, file: files[0], slices: files.slice(1), note: `at ${slices.map(({ y }) => y).join(", ")}` };
}

function figure(name: string, { page, query, look, file, slices = [], text, note }: Shown): string {
  const embedded = /\.(pdf|html)$/.test(file ?? "") ? `<iframe src="${file}" sandbox></iframe>` : `<img src="${file}" alt="">`;
  const shown = text === undefined ? embedded : `<pre>${html(text)}</pre>`;
  const further = slices.map((slice) => `<a href="${slice}"><img src="${slice}" alt=""></a>`).join("");
  const image = file ? `<a href="${file}">${shown}</a>${further}` : "<p>No screenshot.</p>";
  return `<figure><figcaption><b>${name}</b> ${html(look)}<br><code>${html(page)} ${html(query)}</code><br><small>${html(note)}</small></figcaption>${image}</figure>`;
}

function pageOf(sections: string[]): string {
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Every option</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 24px; background: #eceae4; color: #222 }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(420px, 1fr)); gap: 24px; align-items: start }
figure { margin: 0; padding: 14px; background: #fff; border-radius: 6px }
pre, iframe { width: 100%; max-height: 400px; overflow: auto; font-size: 12px; white-space: pre-wrap; border: 1px solid #bbb } iframe { height: 400px }
figcaption { margin-bottom: 10px; overflow-wrap: anywhere } code { font-size: 12px }
img { max-width: 100%; max-height: 640px; border: 1px solid #bbb; background: repeating-conic-gradient(#ddd 0 25%, #fff 0 50%) 0 0 / 24px 24px }
</style>
<h1>Every option</h1>
<p>Each screenshot links to its file at full size.</p>
${sections.join("\n")}
</html>
`;
}
