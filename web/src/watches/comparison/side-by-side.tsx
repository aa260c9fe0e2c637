/** Before and after next to each other, in one scrolling frame. */

import { MarkedImage } from "./marked-image.tsx";
import { canvasOf, type Sides } from "./sides.ts";
import { Viewport } from "./viewport.tsx";

export function SideBySide(sides: Sides) {
  const { before, after, regions, selected } = sides;
  const canvas = canvasOf(sides);
  return (
    <Viewport label="Before and after" selected={selected}>
      <div className="sticky top-0 z-20 grid grid-cols-2 border-b border-line bg-surface text-sm font-medium">
        <p className="px-3 py-1.5">Before</p>
        <p className="border-l border-line px-3 py-1.5">After</p>
      </div>
      <div className="grid grid-cols-2 items-start gap-px bg-line">
        {[before, after].map((side) => (
          <div key={side.name} className="min-w-0 bg-sunken">
            <MarkedImage side={side} regions={regions} selected={selected} canvas={canvas} />
          </div>
        ))}
      </div>
    </Viewport>
  );
}
