/** Reads a multipart form: its fields, and its files as one HTML document. */

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

async function documentOf(files: ReadonlyMap<string, FormFile>): Promise<Members> {
  const index = files.get("index.html");
  if (!index && [...files.keys()].every((name) => /^(header|footer)\.html$/.test(name))) return {}; // beside a url
  if (!index) throw new AppError("invalid_parameters", { message: "files has no index.html." });
  const withTexts = await withMarkdown(index.bytes.toString(), files);
  return { files: withFiles(withTexts, files, withStyles(files)) };
}

/** `{{ toHTML "file.md" }}` becomes the HTML of that file. */
async function withMarkdown(html: string, files: ReadonlyMap<string, FormFile>): Promise<string> {
  const action = /\{\{\s*toHTML\s+(?:"([^"]*)"|`([^`]*)`)\s*\}\}/g;
  if (!action.test(html)) return html;
  const { marked } = await import("marked");
  return html.replace(action, (_, quoted?: string, raw?: string) => {
    const name = quoted ?? raw ?? "";
    const file = files.get(name);
    if (!file) throw new AppError("invalid_parameters", { message: `files has no ${JSON.stringify(name)}, which index.html takes.` });
    return marked.parse(file.bytes.toString(), { async: false });
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
  return text.replace(/(["'(=])(?:\.\/)?([^"'()=<>\s]+)(?=["')\s>])/g, (whole, before: string, name: string) => {
    const file = sheets.get(name) ?? files.get(name) ?? files.get(decoded(name));
    if (!file) return whole;
    return `${before}data:${file.type || "application/octet-stream"};base64,${file.bytes.toString("base64")}`;
  });
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
