/** HTML or Markdown sent by the caller in place of a page. */

import type { RequestRule } from "../loading/interception.ts";
import { type Conflict, optionGroup } from "../option-group.ts";
import { longText, pageUrl } from "../parameter-types.ts";

const contentBytesMax = 2 * 1024 * 1024;

export const content = optionGroup({
  title: "Content",
  onlyIfSet: true,
  intro:
    "Your own document instead of a page: it is rendered as if it had been loaded from `base_url`, in the same sandbox and behind the same egress filter as any page. Best sent with `POST`.",
  example: { html: "<h1>Hello</h1><p>rendered by Chromium" },
  notes: [
    "- The document itself is not requested from `base_url`, but its relative links, images, fonts and scripts are; `headers`, `authorization` and `cookies` are sent only to the origin of `base_url`.",
    "- Without `base_url`, the document's URL is `http://html.localhost/` or `http://markdown.localhost/`, which don't resolve: absolute links work, relative ones don't. The document is a secure context, as with `https`.",
    "- A key that is restricted to certain targets requires a `base_url` that is one of them.",
    "- `markdown` supports GitHub's tables, task lists, strikethrough, bare links and alerts (`> [!NOTE]`), and HTML, which may contain scripts and styles. Emoji codes and footnotes are not supported. The document is rendered with a plain style sheet, which is light or dark depending on `prefers_color_scheme`; any rule in `styles` or in the document overrides it.",
    "- The history and logs contain only a hash of the document and its length.",
  ].join("\n"),
  parameters: () => ({
    html: longText(contentBytesMax, "2 MB")
      .optional()
      .meta({
        output: "shared",
        digest: true,
        valid: "a string of at most 2 MB",
        description: "HTML to render instead of `url`, at most 2 MB.",
        examples: ["<h1>Hello</h1>"],
      }),
    markdown: longText(contentBytesMax, "2 MB")
      .optional()
      .meta({
        output: "shared",
        digest: true,
        valid: "a string of at most 2 MB",
        description: "GitHub-flavored Markdown to render instead of `url`, at most 2 MB.",
        examples: ["# Hello"],
      }),
    base_url: pageUrl()
      .optional()
      .meta({
        output: "shared",
        description: "URL of the document in `html` or `markdown`, against which its relative links are resolved.",
        examples: ["https://example.com/"],
      }),
  }),
  conflicts: ({ url, html, markdown, base_url }: Partial<Record<"url" | "html" | "markdown" | "base_url", unknown>>): Conflict[] => {
    const [first, ...others] = Object.entries({ url, html, markdown }).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    if (first === undefined) return [{ parameter: "url", message: "is missing: send url, html or markdown" }];
    return [
      ...others.map((parameter) => ({ parameter, message: `can't be combined with ${first}: send only one of url, html and markdown` })),
      ...(base_url !== undefined && first === "url" ? [{ parameter: "base_url", message: "requires html or markdown" }] : []),
    ];
  },
  requests: ({ html, markdown = "" }): RequestRule => {
    // The document's URL as Chromium spells it, taken from the first navigation, which is always the capture's own.
    let address: string | undefined;
    return {
      pattern: { resourceType: "Document" },
      decide: async ({ url, method, isMainDocument }) => {
        if (isMainDocument) address ??= url;
        if (!isMainDocument || method !== "GET" || url !== address) return undefined;
        return { document: html ?? (await (await import("../markdown-source/document.ts")).markdownDocument(markdown)) };
      },
    };
  },
  afterReady: async ({ markdown }, { tab, warn }) => {
    if (markdown === undefined) return;
    const { isShownAsText } = await import("../in-page/write-markdown.ts");
    if (await tab.evaluate(isShownAsText)) warn("markdown is nested too deeply to be rendered and is shown as plain text");
  },
});
