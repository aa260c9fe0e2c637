/** Names, file extensions and kinds of the API's formats. A format that is not listed is treated as a text document. */

export const formats = [
  "jpeg",
  "png",
  "webp",
  "avif",
  "pdf",
  "html",
  "mhtml",
  "text",
  "markdown",
  "metadata",
  "elements",
  "har",
  "console",
  "gif",
  "webp-animation",
  "webm",
  "mp4",
];

const images = new Set(["jpeg", "jpg", "png", "webp", "avif"]);
const animations = new Set(["gif", "webp-animation"]);
const videos = new Set(["webm", "mp4"]);
/** Formats that aren't text; browsers can show them only in their own tab, if at all. */
const binaries = new Set(["pdf", "mhtml"]);

/** Names of formats, unless it is the format in capitals. */
const names: Record<string, string> = {
  webp: "WebP",
  text: "Text",
  markdown: "Markdown",
  metadata: "Metadata",
  elements: "Elements",
  console: "Console",
  "webp-animation": "Animated WebP",
  webm: "WebM",
};
/** File extensions, unless it is the format itself. */
const extensions: Record<string, string> = {
  jpeg: "jpg",
  text: "txt",
  markdown: "md",
  metadata: "json",
  elements: "json",
  console: "jsonl",
  "webp-animation": "webp",
};

export const defaultFormat = "jpeg";

export const isImage = (format: string): boolean => images.has(format);

/** Whether `<video>` shows it. */
export const isVideo = (format: string): boolean => videos.has(format);

/** Whether it is a recording. */
export const isMotion = (format: string): boolean => animations.has(format) || videos.has(format);

/** Whether `<img>` shows it. */
export const isPicture = (format: string): boolean => images.has(format) || animations.has(format);

export const isText = (format: string): boolean => !isPicture(format) && !isVideo(format) && !binaries.has(format);

export const isJson = (format: string): boolean => extensionOf(format) === "json" || format === "har";

/** "JPEG", "Markdown" */
export const nameOf = (format: string): string => names[format] ?? format.toUpperCase();

/** File name extension, without the dot. */
export const extensionOf = (format: string): string => extensions[format] ?? format;

/** The everyday name for a file of this format. */
export const nounOf = (format: string): "image" | "recording" | "document" =>
  isImage(format) ? "image" : isMotion(format) ? "recording" : "document";
