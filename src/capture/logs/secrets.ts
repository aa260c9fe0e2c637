/** Removes credentials from the headers and URLs of requests. Pure. */

/** Replaces a secret value. */
export const removed = "removed";

/** Words that name a credential, between separators or capitals: `X-Api-Key`, `accessToken`, `sid`. */
const words = new Set(
  "auth authorization authentication bearer cookie cookies credential credentials csrf jwt key keys otp pass passphrase passwd password pwd secret secrets session sessionid sid sig signature token tokens xsrf".split(
    " ",
  ),
);
/** The same for names without separators. */
const joined = /(api|access|private|secret|license)key|token|password|secret|session_?id/;
const lengthMax = 200;

/** Whether a header, parameter or field with this name may contain a credential. Long names count as such. */
export function isSecretName(name: string): boolean {
  if (name.length > lengthMax) return true;
  const lower = name.toLowerCase();
  if (joined.test(lower)) return true;
  const parts = name.replace(/([a-z\d])([A-Z])/g, "$1-$2").toLowerCase();
  return parts.split(/[^a-z\d]+/).some((word) => words.has(word));
}

/** The URL without user name, password, fragment and values of parameters that may be credentials. Other text is returned unchanged. */
export function withoutSecrets(text: string): string {
  if (!/^(https?|wss?):/i.test(text.slice(0, 6))) return text;
  const url = URL.parse(text);
  if (!url) return text;
  url.username = "";
  url.password = "";
  url.hash = "";
  const secret = [...url.searchParams.keys()].filter(isSecretName);
  if (secret.length === 0) return url.href;
  const parameters = [...url.searchParams].map(([name, value]): [string, string] => [name, isSecretName(name) ? removed : value]);
  url.search = new URLSearchParams(parameters).toString();
  return url.href;
}
