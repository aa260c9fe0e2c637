/** Formats the arguments of a console call, like browsers' developer tools. Pure. */

import type { Protocol } from "devtools-protocol";

type Argument = Protocol.Runtime.RemoteObject;

/** Placeholders of the Console standard (https://console.spec.whatwg.org/#formatter); `%c` takes a style and shows nothing. */
const placeholder = /%[sdifoOc%]/g;

/** The arguments as one text. The first one may contain placeholders for the following ones. */
export function textOf(args: readonly Argument[]): string {
  const [first, ...rest] = args;
  if (first?.type !== "string" || rest.length === 0) return args.map(argumentText).join(" ");
  const formatted = String(first.value).replace(placeholder, (found) => {
    if (found === "%%") return "%";
    const next = rest.length > 0 ? rest.shift() : undefined;
    if (!next) return found;
    if (found === "%c") return "";
    return found === "%d" || found === "%i" ? String(Number.parseInt(argumentText(next), 10)) : argumentText(next);
  });
  return [formatted, ...rest.map(argumentText)].join(" ");
}

/** Only the first line of an error. */
function argumentText({ type, subtype, value, description, preview }: Argument): string {
  if (subtype === "error") return description?.split("\n", 1)[0] ?? "Error";
  if (preview && (subtype === undefined || subtype === "array")) return previewOf(preview);
  return String(description?.split("\n", 1)[0] ?? value ?? type);
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
