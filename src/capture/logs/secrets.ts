/** Removes credentials from what a page requested and logged. Pure. */

/** Replaces a secret value. */
export const removed = "removed";

/** Words that name a credential when separated by punctuation or capitals: `X-Api-Key`, `accessToken`, `sid`. */
const separated =
  /(?<![a-z])(auth|authorization|authentication|assertion|bearer|code|cookie|cookies|cred|creds|credential|credentials|csrf|dpop|hmac|invite|jwt|key|keys|magic|mfa|nonce|oauth|otp|pass|passcode|passphrase|passwd|password|pin|pw|pwd|sas|secret|secrets|sess|sessid|session|sessionid|sid|sig|signature|ticket|token|tokens|verifier|xsrf)(?![a-z])/;
/** Matches such words within names that have no separators: `apikey`, `userpassword`. */
const joined =
  /(api|app|auth|access|license|private|secret|share|sign)key|token|password|passwd|pwd|secret|sess(ion)?_?id|saml(request|response)|(pass|pin|otp)code/;
/** In all of these words. Rejects most names, which saves much time: a page can send millions. */
const stems =
  /auth|assert|bearer|code|cookie|cred|csrf|dpop|hmac|invite|jwt|key|magic|mfa|nonce|otp|pass|pin|pw|sas|saml|secret|sess|sid|sig|ticket|token|verif|xsrf/;
const nameMax = 200;
/** Longer text is truncated, because pages can send text of any length. */
const textMax = 8_000;

/** Whether a header, parameter or member with this name may contain a credential. True for names over 200 characters. */
export function isSecretName(name: string): boolean {
  if (name.length > nameMax) return true;
  const lower = name.toLowerCase();
  if (!stems.test(lower)) return false;
  if (joined.test(lower)) return true;
  return separated.test(lower === name ? name : name.replace(/([a-z\d])([A-Z])/g, "$1-$2").toLowerCase());
}

/** Separators between a name and its value in URLs and JSON, plain or percent-encoded. */
const separators = /=|%3d|["']\s?:\s?["']?|%22%3a(?:%22)?/gi;
const nameCharacters = new Set(
  Array.from({ length: 128 }, (_, code) => code).filter((code) => /[\w.$~[\]-]/.test(String.fromCharCode(code))),
);
const valueEnds = /[\s&;?#"'<>,}]|%26|%22|%23|$/g;

/** The first 8,000 characters of the text, followed by `…` if there are more. */
export function shortened(text: string): string {
  return text.length > textMax ? `${text.slice(0, textMax)}…` : text;
}

/**
 * The first 8,000 characters of the text, without user names and passwords, and without the values of parameters, matrix parameters and
 * JSON members whose names suggest credentials. Takes linear time.
 */
export function withoutSecrets(text: string): string {
  const isCut = text.length > textMax;
  const shown = shortened(text);
  let result = "";
  let done = 0;
  for (const { 0: separator, index } of shown.matchAll(separators)) {
    if (index < done) continue; // inside a removed value
    let start = index;
    while (start > done && index - start <= nameMax && nameCharacters.has(shown.charCodeAt(start - 1))) start -= 1;
    if (start === index || !isSecretName(shown.slice(start, index))) continue;
    const from = index + separator.length;
    valueEnds.lastIndex = from;
    const to = valueEnds.exec(shown)?.index ?? shown.length;
    if (to === from) continue;
    result += `${shown.slice(done, from)}${removed}`;
    done = to;
  }
  result += shown.slice(done);
  // Truncated text may end within a password.
  const credentials = isCut ? /\/\/[^\s/?#"']*(?:@|(?=…$))/g : /\/\/[^\s/?#"']*@/g;
  return result.replace(credentials, "//").replace(/\?[^\s=&?"'<>]{201,}/g, `?${removed}`);
}
