/** Normalises text for phrase matching. */

const accents = /[\u0300-\u036f\u0591-\u05c7\u064b-\u0652]/g;
/** Letters that Unicode doesn't decompose into a base letter and an accent. */
const letters: Record<string, string> = { đ: "d", ł: "l", ı: "i", ø: "o", "’": "'" };

/** Lower case without accents: headings may be set in capitals, which have no accents in Greek. */
export function plain(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFD")
    .replace(accents, "")
    .replace(/[đłıø’]/g, (letter) => letters[letter] ?? letter)
    .normalize("NFC");
}

const spacedLetter = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;

/** Whether `text` contains the phrase at the beginning of a word; anywhere in scripts without spaces or whose words have prefixes. */
export function contains(text: string, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1))
    if (at === 0 || !spacedLetter.test(text[at - 1] as string) || !spacedLetter.test(phrase[0] as string)) return true;
  return false;
}
