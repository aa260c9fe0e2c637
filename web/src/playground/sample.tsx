/** A drawn page in place of the first screenshot: it has the size, the colour scheme and the length that the options ask for. */

import type { ReactNode } from "react";
import { kindOf } from "./devices.ts";
import type { Values } from "./parameters.ts";

/** Typical windows, in CSS pixels. */
const windows = { desktop: [1280, 720], tablet: [834, 1194], phone: [402, 681] } as const;
/** A whole page in windows. */
const pageLength = 1.9;

export function Sample({ options }: { options: Values }) {
  const kind = kindOf(String(options.viewport_device ?? ""));
  const [usualWidth, usualHeight] = windows[kind];
  const width = Number(options.width) || usualWidth;
  const height = (Number(options.height) || usualHeight) * (options.full_page === "true" ? pageLength : 1);
  const isNarrow = width < 600;
  const cards = options.full_page === "true" ? 6 : 3;
  return (
    <figure className="grid size-full grid-cols-1 grid-rows-[minmax(0,1fr)_auto] place-items-center gap-4 p-6">
      <div aria-hidden="true" className="@container-size grid size-full place-items-center">
        <div
          className="overflow-hidden rounded-md border border-line bg-paper text-ink shadow-sm"
          style={{
            aspectRatio: `${width} / ${height}`,
            width: `min(100cqw, 100cqh * ${width / height})`,
            ...(options.prefers_color_scheme === "dark" ? { colorScheme: "dark" } : { colorScheme: "light" }),
          }}
        >
          <div className="@container grid">
            <div className="flex items-center justify-between bg-accent px-[5cqw] py-[2.2cqw]">
              <Bar className="h-[2.4cqw] min-h-1 w-[16cqw] bg-paper/90" />
              <Bar className="h-[1.4cqw] min-h-0.5 w-[26cqw] bg-paper/60" />
            </div>
            <div className="grid justify-items-start gap-[2.4cqw] px-[10cqw] py-[5cqw]">
              <Bar className="h-[4.4cqw] w-[52cqw] bg-ink/80" />
              <Bar className="h-[4.4cqw] w-[34cqw] bg-ink/80" />
              <Bar className="h-[1.7cqw] w-[64cqw] bg-muted/50" />
              <Bar className="h-[1.7cqw] w-[58cqw] bg-muted/50" />
              <div className={`grid w-full gap-[2.4cqw] pt-[2cqw] ${isNarrow ? "grid-cols-1" : "grid-cols-3"}`}>
                {Array.from({ length: cards }, (_, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the cards are all the same
                  <Card key={index} />
                ))}
              </div>
            </div>
          </div>
        </div>
      </div>
      <figcaption className="text-center text-sm text-muted">A sample. Enter a URL, and your page appears here.</figcaption>
    </figure>
  );
}

function Card(): ReactNode {
  return (
    <div className="grid content-start justify-items-start gap-[1.6cqw] rounded-[1cqw] border border-line bg-surface p-[2.4cqw]">
      <Bar className="h-[9cqw] w-full bg-accent-soft" />
      <Bar className="h-[1.9cqw] w-2/3 bg-ink/70" />
      <Bar className="h-[1.4cqw] w-full bg-muted/40" />
      <Bar className="h-[1.4cqw] w-4/5 bg-muted/40" />
    </div>
  );
}

function Bar({ className }: { className: string }) {
  return <span className={`block rounded-xs ${className}`} />;
}
