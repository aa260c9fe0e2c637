/** Reads a multipart form into fields and a single HTML document with the files inlined. */

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { FastifyRequest } from "fastify";
import { AppError, problemsFoundMax } from "../../shared/errors.ts";
import { createPauses } from "../../shared/turns.ts";
import type { Members } from "../input/json-body.ts";
import { boundaryOf, notMultipart, partsLimitError } from "./form-parts.ts";

interface FormFile {
  type: string;
  bytes: Buffer;
}

/** @throws {AppError} `invalid_parameters` for a malformed form; `payload_too_large` if inlining the files makes the document too large. */
export async function readForm(request: FastifyRequest, disconnected?: AbortSignal): Promise<Members> {
  const body = request.body as Buffer;
  const boundary = boundaryOf(request.headers["content-type"] ?? "");
  const problem = boundary === undefined ? notMultipart : partsLimitError(body, boundary);
  if (problem) throw new AppError("invalid_parameters", { message: problem });
  // The parser gets the boundary that was used to count the parts: from the original header, it might read a different boundary.
  const headers = { "content-type": `multipart/form-data; boundary="${boundary}"` };
  const form = await new Response(new Uint8Array(body), { headers }).formData().catch(() => {
    throw new AppError("invalid_parameters", { message: notMultipart });
  });
  const texts = new Map<string, string>();
  const attached = new Map<string, string>();
  const files = new Map<string, FormFile>();
  for (const [name, value] of form) {
    const isText = typeof value === "string";
    const own = isText ? name : value.name.replace(/^.*[/\\]/s, "");
    const kind = isText ? "field" : "file";
    if (own.length > nameLengthMax) throw invalid(kind, own, `with a name of more than ${nameLengthMax} characters`);
    if (isText && value.length > fieldLengthMax) throw invalid(kind, own, `with more than ${fieldLengthMax} characters`);
    // a repeated name would be ambiguous
    if ((isText ? texts : files).has(own) && !attachments.has(name)) throw invalid(kind, own, "more than once");
    if (isText) texts.set(own, value);
    else if (attachments.has(name)) attached.set(name, own);
    else files.set(own, { type: value.type, bytes: Buffer.from(await value.arrayBuffer()) });
  }
  const fields = { ...Object.fromEntries(texts), ...Object.fromEntries(attached) };
  if (files.size === 0) return fields;
  for (const [name, file] of [...files]) for (const own of encodedNames(name)) if (!files.has(own)) files.set(own, file);
  const [header, footer] = ["header.html", "footer.html"].map((name) => files.get(name)?.bytes.toString());
  return {
    ...fields,
    ...(header ? { "header.html": header } : {}),
    ...(footer ? { "footer.html": footer } : {}),
    ...(await documentOf(files, disconnected)),
  };
}

/** File fields that apply to the PDF rather than the page. Each becomes a text field with the file name as its value. */
const attachments = new Set(["embeds", "facturxXml", "stamp", "watermark"]);

/** Encodings in which a document may refer to a file. Decoding its references instead could take seconds for a crafted document. */
function encodedNames(name: string): string[] {
  const whole = encodeURIComponent(name.toWellFormed());
  return [encodeURI(name.toWellFormed()), whole, whole.replace(/%../g, (code) => code.toLowerCase())];
}

/** Maximum length of a file name, as in common file systems. Each name is stored in three more encodings. */
const nameLengthMax = 255;
/**
 * Same as `textMax`, the maximum length of a parameter: parameters are validated only after some fields have been parsed as JSON. Documents
 * are sent as files, so they are not affected.
 */
const fieldLengthMax = 65_536;

function invalid(kind: string, name: string, reason: string): AppError {
  return new AppError("invalid_parameters", { message: `The form has the ${kind} ${JSON.stringify(name.slice(0, 50))} ${reason}.` });
}

/** Maximum length of the document with its files inlined, in characters. The limit on the `html` option is the same number of bytes. */
const documentMax = 2 * 1024 * 1024;
/**
 * Maximum total length of all intermediate results for a form, in characters: the document, each style sheet and each Markdown file, with
 * files inlined. The largest document's content may count three times: in the document, in encoded Markdown, and in a style sheet.
 */
const madeMax = 3 * documentMax;

/** Running total, limited to `madeMax`. */
interface Made {
  length: number;
  /** Ends the work, with its reason. */
  disconnected: AbortSignal | undefined;
}

/**
 * Returns `files`: `index.html` with the other files inlined, or an empty list if there is no `index.html`. `files` is omitted if the form
 * has only a header or footer.
 */
async function documentOf(files: ReadonlyMap<string, FormFile>, disconnected: AbortSignal | undefined): Promise<Members> {
  const index = files.get("index.html");
  if (!index && [...files.keys()].every((name) => /^(header|footer)\.html$/.test(name))) return {};
  if (!index) return { files: [] };
  const made = { length: 0, disconnected };
  const sheetOf = createSheets(files, made);
  const withImages = (text: string) => withFiles(text, async (name) => (await sheetOf(name)) ?? files.get(name), made);
  return { files: await withMarkdown(await withImages(index.bytes.toString()), files, withImages, made) };
}

/** Replaces `{{ toHTML "file.md" }}` with a script that renders it in the page: parsing untrusted Markdown here could block the process. */
async function withMarkdown(
  html: string,
  files: ReadonlyMap<string, FormFile>,
  withImages: (text: string) => Promise<string>,
  made: Made,
): Promise<string> {
  let isFirst = true;
  const calls = /\{\{\s*toHTML\s+(?:"([^"]*)"|`([^`]*)`)\s*\}\}/g;
  const nameOf = (quoted?: string, raw?: string) => quoted ?? raw ?? "";
  const missing = new Set<string>();
  const pause = createPauses();
  for (const [, quoted, raw] of html.matchAll(calls)) {
    await pause();
    if (!files.has(nameOf(quoted, raw))) missing.add(nameOf(quoted, raw));
    if (missing.size === problemsFoundMax) break;
  }
  if (missing.size > 0) {
    const messageOf = (name: string) => `files has no ${JSON.stringify(name.slice(0, 200))}, which index.html uses`;
    throw new AppError("invalid_parameters", { details: [...missing].map((name) => ({ parameter: "files", message: messageOf(name) })) });
  }
  return await replaced(html, calls, made, async (_, quoted, raw) => {
    const file = files.get(nameOf(quoted, raw)) as FormFile;
    const text = Buffer.from(await withImages(file.bytes.toString())).toString("base64");
    const loading = isFirst ? `<script>${await readFile(library, "utf8")}</script>` : "";
    isFirst = false;
    // Base64, so that the text can't contain `</script>`.
    const decoded = `new TextDecoder().decode(Uint8Array.from(atob("${text}"), (byte) => byte.charCodeAt(0)))`;
    return `${loading}<script>document.write(marked.parse(${decoded}))</script>`;
  });
}

const library = fileURLToPath(new URL("marked.umd.js", import.meta.resolve("marked")));

/** Returns a function that inlines the files that a style sheet references, once per sheet. */
function createSheets(files: ReadonlyMap<string, FormFile>, made: Made): (name: string) => Promise<FormFile | undefined> {
  const sheets = new Map<FormFile, FormFile>();
  return async (name) => {
    const file = name.endsWith(".css") ? files.get(name) : undefined;
    if (!file) return undefined;
    const text = sheets.get(file)?.bytes ?? Buffer.from(await withFiles(file.bytes.toString(), (own) => files.get(own), made));
    const sheet = { type: "text/css", bytes: text };
    sheets.set(file, sheet);
    return sheet;
  };
}

type FileOf = (name: string) => FormFile | undefined | Promise<FormFile | undefined>;

/** Replaces references to files with `data:` URLs, since the page has no folder to load them from. */
async function withFiles(text: string, fileOf: FileOf, made: Made): Promise<string> {
  return await replaced(text, /(["'(=])(?:\.\/)?([^"'()=<>\s]+)(?=["')\s>])/g, made, async (whole, before, name = "") => {
    const file = name.endsWith(".md") ? undefined : await fileOf(name);
    if (!file) return whole;
    if (file.bytes.length > documentMax) throw tooLarge();
    return `${before}data:${file.type || "application/octet-stream"};base64,${file.bytes.toString("base64")}`;
  });
}

/** Async `replaceAll`. @throws {AppError} `payload_too_large` if the result, or the form's total, would exceed its limit. */
async function replaced(
  text: string,
  pattern: RegExp,
  made: Made,
  by: (whole: string, ...groups: (string | undefined)[]) => Promise<string>,
): Promise<string> {
  let length = 0;
  const add = (more: number) => {
    length += more;
    made.length += more;
    if (length > documentMax || made.length > madeMax) throw tooLarge();
  };
  add(text.length);
  const parts: string[] = [];
  let end = 0;
  const pause = createPauses();
  for (const match of text.matchAll(pattern)) {
    await pause(); // a document may contain a million of them
    made.disconnected?.throwIfAborted();
    const { index } = match;
    const [whole, ...groups] = match;
    const part = await by(whole, ...groups);
    if (part === whole) continue;
    add(part.length - whole.length);
    parts.push(text.slice(end, index), part);
    end = index + whole.length;
  }
  return parts.join("") + text.slice(end);
}

function tooLarge(): AppError {
  return new AppError("payload_too_large", { message: "With files inlined, the document exceeds 2 MB, or all texts of the form 6 MB." });
}
