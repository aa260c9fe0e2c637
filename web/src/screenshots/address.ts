/** The URL without scheme, `www.` and trailing slash. */
export const shortAddress = (url: string): string => url.replace(/^https?:\/\/(www\.)?/, "").replace(/\/$/, "");
