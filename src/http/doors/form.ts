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
  const form = await new Response(new Uint8Array(request.body as Buffer), { headers: { "content-type": type } }).formData().catch(() => {
    throw new AppError("invalid_parameters", { message: "The body is not a multipart form." });
  });
  const fields: Record<string, string> = {};
  const files = new Map<string, FormFile>();
  for (const [name, value] of form) {
    if (typeof value === "string") fields[name] = value;
    else files.set(value.name.replace(/^.*[/\\]/, ""), { type: value.type, bytes: Buffer.from(await value.arrayBuffer()) });
  }
  if (files.size === 0) return fields;
  const [header, footer] = ["header.html", "footer.html"].map((name) => files.get(name)?.bytes.toString());
  return {
    ...fields,
    ...(header ? { "header.html": header } : {}),
    ...(footer ? { "footer.html": footer } : {}),
    ...(await documentOf(files)),
  };
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
    const file = sheets.get(name) ?? files.get(name) ?? files.get(decoded(name));
    if (!file || name.endsWith(".md")) return whole;
    return `${before}data:${file.type || "application/octet-stream"};base64,${file.bytes.toString("base64")}`;
  });
}

/** @throws {AppError} `payload_too_large` before the result gets larger than a document may be. */
function replaced(text: string, pattern: RegExp, by: (whole: string, ...groups: (string | undefined)[]) => string): string {
  let length = text.length;
  return text.replace(pattern, (whole: string, ...groups) => {
    const part = by(whole, ...groups);
    length += part.length - whole.length;
    if (length > documentMax) throw new AppError("payload_too_large", { message: "The document with its files is longer than 2 MB." });
    return part;
  });
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
