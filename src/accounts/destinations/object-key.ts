/** Keys of copies in a bucket: the destination's template, filled in for each screenshot. Pure. */

import { timeOfId } from "../history/id-time.ts";

/** Values for a template's fields. */
export interface Named {
  /** UUIDv7 of the screenshot. */
  id: string;
  /** URL of the page; undefined if it has none. */
  url: URL | undefined;
  /** The output's or attachment's name, if the caller chose one. */
  label: string | undefined;
  /** For example `png`, without a dot. */
  extension: string;
}

/** A template's fields, with the maximum length of their values. All values are ASCII letters, digits, `.`, `_` and `-`. */
const lengths = { host: 100, date: 10, time: 6, label: 100, name: 137, id: 36, ext: 5 };
type Field = keyof typeof lengths;

export const fieldNames = Object.keys(lengths) as Field[];
export const defaultTemplate = "{host}/{date}/{name}.{ext}";
export const templateLengthMax = 256;
/** S3's limit in bytes. Keys are ASCII, so each character is one byte. */
const keyLengthMax = 1_024;
const literal = /^[A-Za-z0-9._=@+/-]*$/;

/** Why a template can't be used, phrased to follow the parameter's name; undefined if it can be used. */
export function problemOfTemplate(template: string): string | undefined {
  if (template.length > templateLengthMax) return `must have at most ${templateLengthMax} characters`;
  const parts = partsOf(template);
  const unknown = parts.find((part) => typeof part === "object" && !Object.hasOwn(lengths, part.field));
  if (unknown) return `has a field that doesn't exist: use ${fieldNames.map((name) => `{${name}}`).join(", ")}`;
  if (!parts.every((part) => typeof part === "object" || literal.test(part)))
    return "may contain only letters, digits, . _ = @ + - / and fields in braces";
  if (template.split("/").some((segment) => ["", ".", ".."].includes(segment)))
    return "must not begin or end with /, or contain //, or a segment that is . or ..";
  const longest = parts.reduce((sum, part) => sum + (typeof part === "object" ? lengths[part.field] : part.length), 0);
  return longest > keyLengthMax
    ? `could produce a key longer than the maximum of ${keyLengthMax} characters: use fewer fields, or each only once`
    : undefined;
}

/** A copy's key, at most 1,024 characters. @param template accepted by `problemOfTemplate`. */
export function objectKeyOf(template: string, named: Named): string {
  const values = valuesOf(named);
  return partsOf(template)
    .map((part) => (typeof part === "object" ? values[part.field] : part))
    .join("");
}

function valuesOf({ id, url, label, extension }: Named): Record<Field, string> {
  const [date = "", time = ""] = timeOfId(id).toISOString().split(/[T.]/);
  const ext = extension;
  const given = label === undefined ? "" : plain(withoutExtension(label, ext), lengths.label);
  return {
    host: plain(url?.hostname ?? "", lengths.host) || "document",
    date,
    time: time.replaceAll(":", ""),
    label: given || "screenshot",
    name: given ? `${given}-${id}` : id,
    id,
    ext,
  };
}

function withoutExtension(name: string, extension: string): string {
  return name.toLowerCase().endsWith(`.${extension}`) ? name.slice(0, -extension.length - 1) : name;
}

/** Keeps words made of letters, digits and `_`, including single dots and any hyphens inside them, and joins the words with hyphens. */
function plain(text: string, lengthMax: number): string {
  const words = text.slice(0, lengthMax).match(/\w+(?:(?:\.|-+)\w+)*/g) ?? [];
  return words.join("-");
}

/** Splits a template into literal text and fields. */
function partsOf(template: string): (string | { field: Field })[] {
  return template
    .split(/(\{[a-z]*\})/)
    .map((part) => (part.startsWith("{") && part.endsWith("}") ? { field: part.slice(1, -1) as Field } : part));
}
