/** Code snippets for a request for several outputs, for curl, Node and Python. They save each output under its name. */

import type { CapturesBody } from "./outputs.ts";

export interface CapturesRequest {
  /** `https://screenshots.example.com` */
  api: string;
  key: string;
  body: CapturesBody;
  /** A page that the key is restricted to; sent as `Referer`. */
  page?: string | undefined;
}

const path = "/v1/captures";

const headersOf = ({ key, page }: CapturesRequest): Record<string, string> => ({
  Authorization: `Bearer ${key}`,
  "Content-Type": "application/json",
  ...(page === undefined ? {} : { Referer: page }),
});

export function capturesCurl(request: CapturesRequest): string {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const headers = Object.entries(headersOf(request)).map(([name, value]) => `  -H ${quote(`${name}: ${value}`)}`);
  return [`curl --fail-with-body ${quote(request.api + path)}`, ...headers, `  -d ${quote(json(request.body))}`].join(" \\\n");
}

export function capturesNode(request: CapturesRequest): string {
  return `import { writeFile } from "node:fs/promises";
import { extname } from "node:path";

const response = await fetch(${JSON.stringify(request.api + path)}, {
  method: "POST",
  headers: ${json(headersOf(request), "  ")},
  body: JSON.stringify(${json(request.body, "  ")}),
});
const capture = await response.json();
if (!response.ok) throw new Error(capture.message);
for (const { name, url, error } of capture.outputs) {
  if (!url) {
    console.error(name, error?.message ?? "could not be stored");
    continue;
  }
  const file = await fetch(url);
  await writeFile(name + extname(new URL(url).pathname), Buffer.from(await file.arrayBuffer()));
}`;
}

/** Strings, numbers and lists in JSON are the same in Python. */
export function capturesPython(request: CapturesRequest): string {
  const body = json(request.body).replaceAll(/^( *"\w+": )(true|false)(,?)$/gm, (_, member, value, comma) => {
    return `${member}${value === "true" ? "True" : "False"}${comma}`;
  });
  return `import json
from os.path import splitext
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

body = ${body}
headers = ${json(headersOf(request))}
request = Request(${JSON.stringify(request.api + path)}, json.dumps(body).encode(), headers)
try:
    with urlopen(request) as response:
        capture = json.load(response)
except HTTPError as error:
    raise SystemExit(json.load(error)["message"])
for output in capture["outputs"]:
    if not output.get("url"):
        print(output["name"], output.get("error", {}).get("message", "could not be stored"))
        continue
    extension = splitext(urlsplit(output["url"]).path)[1]
    with urlopen(output["url"]) as response, open(output["name"] + extension, "wb") as file:
        file.write(response.read())`;
}

/** JSON with all lines but the first indented. */
const json = (value: unknown, indent = ""): string => JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`);
