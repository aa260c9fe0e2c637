/** Reads a multipart form: its fields, and its files as one HTML document. */

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { FastifyRequest } from "fastify";
import { AppError } from "../../errors.ts";
import type { Members } from "../json-body.ts";

interface FormFile {
  type: string;
  bytes: Buffer;
}

/** @throws {AppError} `invalid_parameters` if the form can't be read, or has no `index.html` among its files. */
export async function readForm(request: FastifyRequest): Promise<Members> {
  const type = request.headers["content-type"] ?? "";
  if (hasTooManyParts(request.body as Buffer))
    throw new AppError("invalid_parameters", { message: `The form has more than ${partsMax} parts.` });
  const form = await new Response(new Uint8Array(request.body as Buffer), { headers: { "content-type": type } }).formData().catch(() => {
    throw new AppError("invalid_parameters", { message: "The body is not a multipart form." });
  });
  const texts = new Map<string, string>();
  const files = new Map<string, FormFile>();
  for (const [name, value] of form) {
    const isText = typeof value === "string";
    const own = isText ? name : value.name.replace(/^.*[/\\]/s, "");
    if ((isText ? texts : files).has(own)) throw repeated(isText ? "field" : "file", own);
    if (isText) texts.set(own, value);
    else files.set(own, { type: value.type, bytes: Buffer.from(await value.arrayBuffer()) });
  }
  const fields = Object.fromEntries(texts);
  if (files.size === 0) return fields;
  for (const [name, file] of [...files]) for (const own of encodedNames(name)) if (!files.has(own)) files.set(own, file);
  const [header, footer] = ["header.html", "footer.html"].map((name) => files.get(name)?.bytes.toString());
  return {
    ...fields,
    ...(header ? { "header.html": header } : {}),
    ...(footer ? { "footer.html": footer } : {}),
    ...(await documentOf(files)),
  };
}

/** As a document may write the name. Decoding what documents have instead would take seconds if it is made for that. */
function encodedNames(name: string): string[] {
  const whole = encodeURIComponent(name.toWellFormed());
  return [encodeURI(name.toWellFormed()), whole, whole.replace(/%../g, (code) => code.toLowerCase())];
}

/** Parsing many would block the process. */
const partsMax = 500;

/** Counts what every part begins with. */
function hasTooManyParts(body: Buffer): boolean {
  const text = body.toString("latin1").toLowerCase();
  let parts = 0;
  for (let at = text.indexOf("form-data"); at !== -1 && parts <= partsMax; at = text.indexOf("form-data", at + 1)) parts += 1;
  return parts > partsMax;
}

/** Which of the two was meant can't be seen. */
function repeated(kind: string, name: string): AppError {
  return new AppError("invalid_parameters", { message: `The form has the ${kind} ${JSON.stringify(name.slice(0, 50))} more than once.` });
}

/** Of the document with its files, in characters; more than our options take. */
const documentMax = 3 * 1024 * 1024;

/** Reads the form's document: `index.html` with the other files in it. Empty beside a `url`. */
async function documentOf(files: ReadonlyMap<string, FormFile>): Promise<Members> {
  const index = files.get("index.html");
  if (!index && [...files.keys()].every((name) => /^(header|footer)\.html$/.test(name))) return {};
  if (!index) throw new AppError("invalid_parameters", { message: "files has no index.html." });
  const sheets = withStyles(files);
  const withImages = (text: string) => withFiles(text, files, sheets);
  return { files: await withMarkdown(withImages(index.bytes.toString()), files, withImages) };
}

/** `{{ toHTML "file.md" }}` becomes a script that writes the file as HTML: parsing untrusted text in this process could block it. */
async function withMarkdown(html: string, files: ReadonlyMap<string, FormFile>, withImages: (text: string) => string): Promise<string> {
  const action = /\{\{\s*toHTML\s+(?:"([^"]*)"|`([^`]*)`)\s*\}\}/g;
  const names = [...html.matchAll(action)].map(([, quoted, raw]) => quoted ?? raw ?? "");
  if (names.length === 0) return html;
  const missing = names.find((name) => !files.has(name));
  if (missing !== undefined)
    throw new AppError("invalid_parameters", { message: `files has no ${JSON.stringify(missing)}, which index.html takes.` });
  const library = await readFile(fileURLToPath(new URL("marked.umd.js", import.meta.resolve("marked"))), "utf8");
  let isFirst = true;
  return replaced(html, action, (_, quoted, raw) => {
    const text = Buffer.from(withImages(files.get(quoted ?? raw ?? "")?.bytes.toString() ?? "")).toString("base64");
    const loading = isFirst ? `<script>${library}</script>` : "";
    isFirst = false;
    // In Base64 no text can end the script.
    const decoded = `new TextDecoder().decode(Uint8Array.from(atob("${text}"), (byte) => byte.charCodeAt(0)))`;
    return `${loading}<script>document.write(marked.parse(${decoded}))</script>`;
  });
}

/** Style sheets with the files that they name. */
function withStyles(files: ReadonlyMap<string, FormFile>): Map<string, FormFile> {
  const sheets = [...files].filter(([name]) => name.endsWith(".css"));
  return new Map(
    sheets.map(([name, { bytes }]) => [name, { type: "text/css", bytes: Buffer.from(withFiles(bytes.toString(), files, new Map())) }]),
  );
}

/** Puts files in the place of their names, as `data:` URLs: there is no folder to load them from. */
function withFiles(text: string, files: ReadonlyMap<string, FormFile>, sheets: ReadonlyMap<string, FormFile>): string {
  return replaced(text, /(["'(=])(?:\.\/)?([^"'()=<>\s]+)(?=["')\s>])/g, (whole, before, name = "") => {
    const file = sheets.get(name) ?? files.get(name);
    if (!file || name.endsWith(".md")) return whole;
    return `${before}data:${file.type || "application/octet-stream"};base64,${file.bytes.toString("base64")}`;
  });
}

/** @throws {AppError} `payload_too_large` before the result gets larger than a document may be. */
function replaced(text: string, pattern: RegExp, by: (whole: string, ...groups: (string | undefined)[]) => string): string {
  const tooLarge = () => new AppError("payload_too_large", { message: "The document with its files is longer than 2 MB." });
  let length = text.length;
  if (length > documentMax) throw tooLarge();
  return text.replace(pattern, (whole: string, ...groups) => {
    const part = by(whole, ...groups);
    length += part.length - whole.length;
    if (length > documentMax) throw tooLarge();
    return part;
  });
}
