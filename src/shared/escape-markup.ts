/** Escapes text for HTML, XML and Pango markup. Pure. */

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
// biome-ignore lint/suspicious/noControlCharactersInRegex: characters not allowed in XML
const notInXml = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

/** @returns text for an element or a quoted attribute. U+FFFD replaces lone surrogates and characters that XML doesn't allow. */
export function escapeMarkup(text: string): string {
  return text
    .toWellFormed()
    .replace(notInXml, "\ufffd")
    .replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
