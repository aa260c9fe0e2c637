/** The API reference, which the API serves at `/docs`, inside the dashboard's layout. */

import inter from "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url";
import { useRef } from "react";
import { showTheme } from "./theme.ts";

/**
 * Fills the window next to the navigation, and scrolls in its frame. An operation in the hash, such as `#/Screenshots/takeScreenshot`, is
 * opened.
 */
export function ReferencePage() {
  const frame = useRef<HTMLIFrameElement>(null);
  return (
    <div data-bleed className="h-full">
      <title>API reference · Tintype</title>
      <h1 tabIndex={-1} className="sr-only">
        API reference
      </h1>
      <iframe
        ref={frame}
        title="API reference"
        src={`/docs${location.hash}`}
        className="size-full"
        onLoad={() => frame.current?.contentDocument && dress(frame.current.contentDocument)}
      />
    </div>
  );
}

/** Applies the dashboard's theme and font, which the API doesn't know. */
function dress(page: Document): void {
  showTheme(page);
  const { FontFace: OwnFontFace } = page.defaultView as Window & typeof globalThis;
  page.fonts.add(new OwnFontFace("Inter Variable", `url(${inter})`, { weight: "100 900" }));
}
