/** Code snippets of a request for curl, `<img>`, JavaScript and PHP, quoted for each language. */

import { pairsOf, type Values } from "./parameters.ts";

export interface Request {
  /** `https://screenshots.example.com` */
  api: string;
  key: string;
  options: Values;
  /** Page that the key is bound to; sent as `Referer` where no browser does it. */
  page?: string | undefined;
}

const path = "/v1/screenshots/take";

export function curl({ api, key, options, page }: Request): string {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const pairs: [string, string][] = [["api_key", key], ...pairsOf(options)];
  const data = pairs.map(([name, value]) => `  --data-urlencode ${quote(`${name}=${value}`)}`);
  const referer = page === undefined ? [] : [`  -H ${quote(`Referer: ${page}`)}`];
  return [`curl -G ${quote(api + path)}`, ...referer, ...data, `  -o screenshot.${extensionOf(options)}`].join(" \\\n");
}

export function img({ api, key, options }: Request): string {
  const query = new URLSearchParams([["api_key", key], ...pairsOf(options)]);
  const escaped = `${api}${path}?${query}`.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  // Without this policy a page may send no origin, and a key with allowed websites would reject the request.
  return `<img\n  src="${escaped}"\n  referrerpolicy="strict-origin-when-cross-origin"\n  loading="lazy"\n  alt=""\n>`;
}

export function javaScript({ api, key, options, page }: Request): string {
  const pairs: [string, string][] = [["api_key", key], ...pairsOf(options)];
  const lines = pairs.map((pair) => `  [${pair.map((text) => JSON.stringify(text)).join(", ")}],`);
  return `const query = new URLSearchParams([\n${lines.join("\n")}\n]);\nconst response = await fetch(\`${api}${path}?\${query}\`${page === undefined ? "" : `, { headers: { Referer: ${JSON.stringify(page)} } }`});\nif (!response.ok) throw new Error((await response.json()).message);\nconst image = await response.blob();`;
}

export function php({ api, key, options, page }: Request): string {
  const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const context = page === undefined ? "" : `, false, stream_context_create(['http' => ['header' => ${quote(`Referer: ${page}`)}]])`;
  const entries = Object.entries({ api_key: key, ...options });
  const lines = entries.map(
    ([name, value]) => `    ${quote(name)} => ${Array.isArray(value) ? `[${value.map(quote).join(", ")}]` : quote(value)},`,
  );
  return `<?php\n$query = http_build_query([\n${lines.join("\n")}\n]);\n$image = file_get_contents(${quote(`${api}${path}?`)} . $query${context});\nfile_put_contents('screenshot.${extensionOf(options)}', $image);`;
}

function extensionOf({ format }: Values): string {
  return format === "png" || format === "webp" ? format : "jpg";
}
