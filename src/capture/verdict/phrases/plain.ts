/** Texts in the form in which phrases are looked for. */

const accents = /[\u0300-\u036f\u0591-\u05c7\u064b-\u0652]/g;
/** Letters that are no compositions of another one and an accent. */
const letters: Record<string, string> = { đ: "d", ł: "l", ı: "i", ø: "o", "’": "'" };

/** In lower case and without accents: headings may be set in capitals, which in Greek have none. */
export function plain(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFD")
    .replace(accents, "")
    .replace(/[đłıø’]/g, (letter) => letters[letter] ?? letter)
    .normalize("NFC");
}

const spacedLetter = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;

/** Whether `text` has the phrase at the beginning of a word; scripts without spaces, or whose words have prefixes, anywhere. */
export function contains(text: string, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1))
    if (at === 0 || !spacedLetter.test(text[at - 1] as string) || !spacedLetter.test(phrase[0] as string)) return true;
  return false;
}
