/** Formats the arguments of a console call, like browsers' developer tools. Pure. */

import type { Protocol } from "devtools-protocol";

type Argument = Protocol.Runtime.RemoteObject;

/** Placeholders of the Console standard (https://console.spec.whatwg.org/#formatter); `%c` takes a style and shows nothing. */
const placeholder = /%[sdifoOc%]/g;

/** Arguments of a message, and characters of each, that are shown: a page can log any number of them. */
export const argumentsMax = 20;
const textMax = 10_000;

/** The arguments as one text. The first one may contain placeholders for the following ones. */
export function textOf(all: readonly Argument[]): string {
  const args = all.slice(0, argumentsMax);
  const [first, ...rest] = args;
  if (first?.type !== "string" || rest.length === 0) return args.map(argumentText).join(" ");
  const formatted = argumentText(first).replace(placeholder, (found) => {
    if (found === "%%") return "%";
    const next = rest.shift();
    if (!next) return found;
    if (found === "%c") return "";
    return found === "%d" || found === "%i" ? String(Number.parseInt(argumentText(next), 10)) : argumentText(next);
  });
  return rest.length > 0 ? `${formatted} ${rest.map(argumentText).join(" ")}` : formatted;
}

/** Only the first line of an error. */
function argumentText({ type, subtype, value, description, preview }: Argument): string {
  if (preview && (subtype === undefined || subtype === "array")) return previewOf(preview).slice(0, textMax);
  const [line] = (description ?? "").slice(0, textMax).split("\n", 1);
  if (subtype === "error") return line || "Error";
  return line || String(value ?? type).slice(0, textMax);
}

function previewOf({ subtype, properties, overflow, description }: Protocol.Runtime.ObjectPreview): string {
  const parts = properties.map(({ name, type, value = type }) => {
    const shown = type === "string" ? JSON.stringify(value) : value;
    return subtype === "array" ? shown : `${name}: ${shown}`;
  });
  if (overflow) parts.push("…");
  if (subtype === "array") return `[${parts.join(", ")}]`;
  return `${description && description !== "Object" ? `${description} ` : ""}{${parts.join(", ")}}`;
}
