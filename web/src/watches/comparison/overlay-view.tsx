/** The later image on top of the earlier one, with adjustable opacity. */

import { useState } from "react";
import { Range } from "../../ui/form/range.tsx";
import { MarkedImage } from "./marked-image.tsx";
import { canvasOf, type Sides } from "./sides.ts";
import { Viewport } from "./viewport.tsx";

export function OverlayView(sides: Sides) {
  const { before, after, regions, selected } = sides;
  const [opacity, setOpacity] = useState(50);
  const canvas = canvasOf(sides);
  return (
    <div className="grid gap-3">
      <Range label="Opacity of after over before" ends={["Before", "After"]} value={opacity} onChange={setOpacity} />
      <Viewport label="After over before" selected={selected}>
        <div className="relative">
          <MarkedImage side={before} regions={regions} selected={selected} canvas={canvas} />
          <div className="absolute inset-0" style={{ opacity: opacity / 100 }}>
            <MarkedImage side={after} regions={regions} selected={selected} canvas={canvas} />
          </div>
        </div>
      </Viewport>
    </div>
  );
}
