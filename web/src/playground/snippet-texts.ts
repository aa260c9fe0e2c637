/** Code snippets for a request for curl, `<img>`, Node, Python, Go and PHP, quoted for each language. */

import { defaultFormat, extensionOf } from "../screenshots/formats.ts";
import { pairsOf, type Values } from "./parameters.ts";

export interface Request {
  /** `https://screenshots.example.com` */
  api: string;
  key: string;
  options: Values;
  /** A page that the key is restricted to; sent as `Referer` where no browser does it. */
  page?: string | undefined;
}

const path = "/v1/screenshots/take";

const pairsWithKey = ({ key, options }: Request): [string, string][] => [["api_key", key], ...pairsOf(options)];

export function curl(request: Request): string {
  const { api, options, page } = request;
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const data = pairsWithKey(request).map(([name, value]) => `  --data-urlencode ${quote(`${name}=${value}`)}`);
  const referer = page === undefined ? [] : [`  -H ${quote(`Referer: ${page}`)}`];
  return [`curl --fail-with-body -G ${quote(api + path)}`, ...referer, ...data, `  -o ${fileName(options)}`].join(" \\\n");
}

export function img(request: Request): string {
  const query = new URLSearchParams(pairsWithKey(request));
  const escaped = `${request.api}${path}?${query}`.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  // Without this policy a page may send no origin, and a key with allowed websites would reject the request.
  return `<img\n  src="${escaped}"\n  referrerpolicy="strict-origin-when-cross-origin"\n  loading="lazy"\n  alt=""\n>`;
}

export function node(request: Request): string {
  const { api, options, page } = request;
  const lines = pairsWithKey(request).map((pair) => `  [${pair.map((text) => JSON.stringify(text)).join(", ")}],`);
  const headers = page === undefined ? "" : `, {\n  headers: { Referer: ${JSON.stringify(page)} },\n}`;
  return `import { writeFile } from "node:fs/promises";

const query = new URLSearchParams([
${lines.join("\n")}
]);
const response = await fetch(\`${api}${path}?\${query}\`${headers});
if (!response.ok) throw new Error((await response.json()).message);
await writeFile("${fileName(options)}", Buffer.from(await response.arrayBuffer()));`;
}

/** A JSON string is also a Python string. */
export function python(request: Request): string {
  const { api, options, page } = request;
  const lines = pairsWithKey(request).map((pair) => `    (${pair.map((text) => JSON.stringify(text)).join(", ")}),`);
  const headers = page === undefined ? "" : `, headers={"Referer": ${JSON.stringify(page)}}`;
  return `import json
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

query = urlencode([
${lines.join("\n")}
])
request = Request("${api}${path}?" + query${headers})
try:
    with urlopen(request) as response, open("${fileName(options)}", "wb") as file:
        file.write(response.read())
except HTTPError as error:
    raise SystemExit(json.load(error)["message"])`;
}

/** A JSON string is also a Go string. */
export function go(request: Request): string {
  const { api, options, page } = request;
  const lines = pairsWithKey(request).map((pair) => `\tquery.Add(${pair.map((text) => JSON.stringify(text)).join(", ")})`);
  const headers = page === undefined ? [] : [`\trequest.Header.Set("Referer", ${JSON.stringify(page)})`];
  return [
    'package main\n\nimport (\n\t"io"\n\t"log"\n\t"net/http"\n\t"net/url"\n\t"os"\n)\n',
    "func main() {\n\tquery := url.Values{}",
    ...lines,
    `\trequest, err := http.NewRequest("GET", "${api}${path}?"+query.Encode(), nil)`,
    "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}",
    ...headers,
    "\tresponse, err := http.DefaultClient.Do(request)",
    "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}",
    "\tdefer response.Body.Close()",
    "\tbody, err := io.ReadAll(response.Body)",
    "\tif err != nil || response.StatusCode != http.StatusOK {\n\t\tlog.Fatal(response.Status, string(body), err)\n\t}",
    `\tif err := os.WriteFile("${fileName(options)}", body, 0o644); err != nil {\n\t\tlog.Fatal(err)\n\t}`,
    "}",
  ].join("\n");
}

export function php({ api, key, options, page }: Request): string {
  const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const settings = ["CURLOPT_RETURNTRANSFER => true", ...(page === undefined ? [] : [`CURLOPT_REFERER => ${quote(page)}`])];
  const entries = Object.entries({ api_key: key, ...options });
  const lines = entries.map(
    ([name, value]) => `    ${quote(name)} => ${Array.isArray(value) ? `[${value.map(quote).join(", ")}]` : quote(value)},`,
  );
  return `<?php
$query = http_build_query([
${lines.join("\n")}
]);
$curl = curl_init(${quote(`${api}${path}?`)} . $query);
curl_setopt_array($curl, [${settings.join(", ")}]);
$body = curl_exec($curl);
if (curl_getinfo($curl, CURLINFO_RESPONSE_CODE) !== 200) {
    throw new RuntimeException($body === false ? curl_error($curl) : json_decode($body)->message);
}
file_put_contents('${fileName(options)}', $body);`;
}

const fileName = ({ format = defaultFormat }: Values): string => `screenshot.${extensionOf(String(format))}`;
