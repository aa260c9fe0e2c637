/** Before and after in the same place, divided by a line that can be moved: with the slider, its arrow keys, or on the image. */

import { type PointerEvent, useState } from "react";
import { Range } from "../../ui/form/range.tsx";
import { MarkedImage } from "./marked-image.tsx";
import { canvasOf, type Sides } from "./sides.ts";
import { Viewport } from "./viewport.tsx";

export function SliderView(sides: Sides) {
  const { before, after, regions, selected } = sides;
  const [place, setPlace] = useState(50);
  const canvas = canvasOf(sides);
  const follow = ({ currentTarget, clientX, buttons }: PointerEvent<HTMLDivElement>) => {
    if (buttons !== 1) return;
    const { left, width } = currentTarget.getBoundingClientRect();
    setPlace(Math.round(Math.min(100, Math.max(0, ((clientX - left) / width) * 100))));
  };
  return (
    <div className="grid gap-3">
      <Range label="Divide between before and after" ends={["Before", "After"]} value={place} onChange={setPlace} />
      <Viewport label="Before and after, divided" selected={selected}>
        <div onPointerDown={follow} onPointerMove={follow} className="relative cursor-ew-resize touch-pan-y select-none">
          <MarkedImage side={before} regions={regions} selected={selected} canvas={canvas} />
          <div className="absolute inset-0 bg-sunken" style={{ clipPath: `inset(0 0 0 ${place}%)` }}>
            <MarkedImage side={after} regions={regions} selected={selected} canvas={canvas} />
          </div>
          <span
            aria-hidden="true"
            className="pointer-events-none absolute inset-y-0 z-20 w-0.5 -translate-x-1/2 bg-accent"
            style={{ left: `${place}%` }}
          />
        </div>
      </Viewport>
    </div>
  );
}
