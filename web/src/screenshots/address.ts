/** The URL without scheme, `www.` and trailing slash. */
export const shortAddress = (url: string): string => url.replace(/^https?:\/\/(www\.)?/, "").replace(/\/$/, "");

/** Names and addresses of this machine and of private networks: servers there rarely use TLS. */
const isLocal = (host: string): boolean =>
  /^(localhost|127(\.\d+){3}|10(\.\d+){3}|192\.168(\.\d+){2}|172\.(1[6-9]|2\d|3[01])(\.\d+){2}|\[[^\]]*\])$/i.test(host) ||
  /\.(localhost|local|internal|lan|test)$/i.test(host);

/** Adds a scheme to what people type as a URL, such as `example.com` or `localhost:5173`: https, or http for local hosts. */
export function withScheme(text: string): string {
  if (/^[a-z][a-z\d+.-]*:(?!\d)/i.test(text)) return text;
  const [, host = "", port] = /^(\[[^\]]*\]|[^/?#:]*)(:\d+)?/.exec(text) ?? [];
  // A name without a dot, such as `web:5173`, belongs to the local network.
  return `${isLocal(host) || (port && !host.includes(".")) ? "http" : "https"}://${text}`;
}
