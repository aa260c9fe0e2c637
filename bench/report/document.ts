/** Writes a run's figures to the marked section of a document. */

const begin = "<!-- figures: begin -->";
const end = "<!-- figures: end -->";

/** @throws {Error} if the document has no such section. */
export function withFigures(document: string, figures: string): string {
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from === -1 || to < from) throw new Error(`The document lacks the section between ${begin} and ${end}.`);
  return `${document.slice(0, from + begin.length)}\n\n${figures.trim()}\n\n${document.slice(to)}`;
}
