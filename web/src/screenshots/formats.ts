/** Names, file extensions and kinds of the API's formats. One that is not listed is taken for a document of text. */

export const formats = ["jpeg", "png", "webp", "avif", "pdf", "html", "mhtml", "text", "markdown", "metadata", "elements"];

const images = new Set(["jpeg", "jpg", "png", "webp", "avif"]);
/** No text, and browsers show them in a tab of their own at most. */
const binaries = new Set(["pdf", "mhtml"]);

/** Where the name isn't the format in capitals. */
const names: Record<string, string> = { webp: "WebP", text: "Text", markdown: "Markdown", metadata: "Metadata", elements: "Elements" };
/** Where the extension isn't the format itself. */
const extensions: Record<string, string> = { jpeg: "jpg", text: "txt", markdown: "md", metadata: "json", elements: "json" };

export const defaultFormat = "jpeg";

export const isImage = (format: string): boolean => images.has(format);

export const isText = (format: string): boolean => !images.has(format) && !binaries.has(format);

export const isJson = (format: string): boolean => extensionOf(format) === "json";

/** "JPEG", "Markdown" */
export const nameOf = (format: string): string => names[format] ?? format.toUpperCase();

/** File name extension, without the dot. */
export const extensionOf = (format: string): string => extensions[format] ?? format;

/** What a person calls a file of this format. */
export const nounOf = (format: string): "image" | "document" => (isImage(format) ? "image" : "document");
