/** Only the regions, each cropped from before and after. */

import { around, type Box, percent, type Side, type Sides } from "./sides.ts";
import { Viewport } from "./viewport.tsx";

export function RegionCrops({ before, after, regions, selected }: Sides) {
  return (
    <Viewport label="Only the regions" selected={selected}>
      <ol className="grid gap-4 p-4">
        {regions.map((region, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: the regions of a run never change
            key={index}
            data-selected={index === selected || undefined}
            className="grid gap-2 rounded-lg border border-line bg-surface p-3 data-selected:outline-2 data-selected:outline-accent"
          >
            <p className="text-sm font-medium wrap-anywhere">{region.name}</p>
            <div className="grid items-start gap-3 sm:grid-cols-2">
              <Crop side={before} box={region.before} />
              <Crop side={after} box={region.after} />
            </div>
          </li>
        ))}
      </ol>
    </Viewport>
  );
}

function Crop({ side, box }: { side: Side; box: Box | null }) {
  const name = side.name === "before" ? "Before" : "After";
  if (!box) return <p className="rounded border border-dashed border-edge/60 p-3 text-sm text-muted">{name}: not there.</p>;
  const area = around(box, side);
  return (
    <figure className="grid min-w-0 gap-1 text-sm text-muted">
      <div
        className="relative overflow-hidden rounded outline-1 outline-line"
        style={{ aspectRatio: `${area.width} / ${area.height}`, width: `min(100%, ${area.width}px)` }}
      >
        <img
          src={side.source}
          alt={`The region ${side.name}`}
          className="checkered absolute h-auto max-w-none"
          style={{
            width: percent(side.width, area.width),
            left: percent(-area.x, area.width),
            top: percent(-area.y, area.height),
          }}
        />
      </div>
      <figcaption>{name}</figcaption>
    </figure>
  );
}
