/** Output formats of captures, with their content types and file name extensions. Pure. */

export const imageFormats = ["jpeg", "png", "webp", "avif"] as const;
export type ImageFormat = (typeof imageFormats)[number];

/** Formats that are neither images, animations nor videos: the page's content, facts about it, or a log of its loading. */
export const documentFormats = ["pdf", "html", "mhtml", "text", "markdown", "metadata", "elements", "har", "console"] as const;
export type DocumentFormat = (typeof documentFormats)[number];

const animationFormats = ["gif", "webp-animation"] as const;
export type AnimationFormat = (typeof animationFormats)[number];
const videoFormats = ["webm", "mp4"] as const;
export type VideoFormat = (typeof videoFormats)[number];
export const motionFormats = [...animationFormats, ...videoFormats] as const;
export type MotionFormat = (typeof motionFormats)[number];

/** Formats other than images. */
export const otherFormats = [...documentFormats, ...motionFormats] as const;

export const formats = [...imageFormats, ...otherFormats] as const;
export type Format = (typeof formats)[number];

/** Size of the largest image that current language models accept without scaling it down. */
export const modelBounds = { side: 1568, pixels: 1_150_000, bytes: 5_000_000 };

export const contentTypes: Readonly<Record<Format, string>> = {
  jpeg: "image/jpeg",
  png: "image/png",
  webp: "image/webp",
  avif: "image/avif",
  pdf: "application/pdf",
  html: "text/html; charset=utf-8",
  mhtml: "multipart/related",
  text: "text/plain; charset=utf-8",
  markdown: "text/markdown; charset=utf-8",
  metadata: "application/json; charset=utf-8",
  elements: "application/json; charset=utf-8",
  har: "application/json; charset=utf-8",
  console: "application/x-ndjson; charset=utf-8",
  gif: "image/gif",
  "webp-animation": "image/webp",
  webm: "video/webm",
  mp4: "video/mp4",
};

/** File name extensions, without the dot. Formats with the same extension have the same content type. */
export const extensions: Readonly<Record<Format, string>> = {
  jpeg: "jpg",
  png: "png",
  webp: "webp",
  avif: "avif",
  pdf: "pdf",
  html: "html",
  mhtml: "mhtml",
  text: "txt",
  markdown: "md",
  metadata: "json",
  elements: "json",
  har: "har",
  console: "jsonl",
  gif: "gif",
  "webp-animation": "webp",
  webm: "webm",
  mp4: "mp4",
};

/** Whether the format records what the page did while loading (requests or console messages) rather than what it shows. */
export function isLog(format: string): boolean {
  return format === "har" || format === "console";
}

export function isMotionFormat(format: unknown): format is MotionFormat {
  return motionFormats.some((one) => one === format);
}

export function isVideoFormat(format: unknown): format is VideoFormat {
  return videoFormats.some((one) => one === format);
}

/** Formats whose large files are encoded one at a time in this process. Videos are encoded in Chromium. */
export const slowFormats: ReadonlySet<string> = new Set(["avif", ...animationFormats]);

export function isImageFormat(format: string): format is ImageFormat {
  return (imageFormats as readonly string[]).includes(format);
}

/** The format's content type without its parameters. */
export function mediaTypeOf(format: Format): string {
  return contentTypes[format].replace(/;.*/, "");
}
