/** A drawn page in place of the first screenshot: it has the size, color scheme and length that the options specify. */

import { DrawnPage } from "../ui/drawn-page.tsx";
import { kindOf } from "./devices.ts";
import type { Values } from "./parameters.ts";

/** Typical windows, in CSS pixels. */
const windows = { desktop: [1280, 720], tablet: [834, 1194], phone: [402, 681] } as const;
/** Height of a full page, relative to the window. */
const pageLength = 1.9;
const narrowMax = 600;

export function Sample({ options }: { options: Values }) {
  const [usualWidth, usualHeight] = windows[kindOf(String(options.viewport_device ?? ""))];
  const isWhole = options.full_page === "true";
  const width = Number(options.width) || usualWidth;
  const height = (Number(options.height) || usualHeight) * (isWhole ? pageLength : 1);
  return (
    <figure className="grid size-full grid-cols-1 grid-rows-[minmax(0,1fr)_auto] place-items-center gap-4 p-6">
      <div aria-hidden="true" className="@container-size grid size-full place-items-center">
        <div
          className="overflow-hidden rounded-md border border-line text-ink shadow-sm"
          style={{
            aspectRatio: `${width} / ${height}`,
            width: `min(100cqw, 100cqh * ${width / height})`,
            colorScheme: options.prefers_color_scheme === "dark" ? "dark" : "light",
          }}
        >
          <DrawnPage isNarrow={width < narrowMax} cards={isWhole ? 6 : 3} />
        </div>
      </div>
      <figcaption className="text-center text-sm text-muted">A sample. Enter a URL, and your page appears here.</figcaption>
    </figure>
  );
}
