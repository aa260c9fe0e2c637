/** The first `length` characters of `text`, copied: a slice would keep all of the text in memory. */
export function beginningOf(text: string, length: number): string {
  return text.length > length ? Buffer.from(text.slice(0, length)).toString() : text;
}
