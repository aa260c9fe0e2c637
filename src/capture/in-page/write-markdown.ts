/** Renders Markdown in the page. The functions are serialized, so they must be self-contained. */

interface Marked {
  parse(text: string): string;
  use(extension: {
    renderer: { blockquote(this: { parser: { parse(tokens: unknown): string } }, quote: { tokens: unknown }): string };
  }): void;
}

/**
 * Writes Markdown as HTML in place of the calling script. Text that is nested too deeply for the stack is shown as is.
 * @param base64 the text in UTF-8, encoded as Base64.
 */
export function writeMarkdown(marked: Marked, base64: string): void {
  document.currentScript?.remove();
  const text = new TextDecoder().decode(Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0)));
  marked.use({
    renderer: {
      // GitHub's alerts: `> [!NOTE]`.
      blockquote({ tokens }) {
        const content = this.parser.parse(tokens);
        const [start = "", kind = ""] = /^<p>\[!(note|tip|important|warning|caution)\](?:<br>)?\s*/i.exec(content) ?? [];
        const label = `${kind.charAt(0).toUpperCase()}${kind.slice(1).toLowerCase()}`;
        return kind === ""
          ? `<blockquote>${content}</blockquote>`
          : `<blockquote class="${kind.toLowerCase()}"><p><strong>${label}</strong></p><p>${content.slice(start.length)}</blockquote>`;
      },
    },
  });
  let html: string;
  try {
    html = marked.parse(text);
  } catch {
    document.documentElement.setAttribute("data-markdown", "text");
    html = `<pre>${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</pre>`;
  }
  document.write(`<main>${html}</main>`);
  if (document.title === "") document.title = document.querySelector<HTMLHeadingElement>("h1, h2")?.textContent?.trim() ?? "";
}

export function isShownAsText(): boolean {
  return document.documentElement.getAttribute("data-markdown") === "text";
}
