/** What a run compares, in one of four views; the selected view is kept in the page's URL. */

import { useNavigate, useSearch } from "@tanstack/react-router";
import { Segmented } from "../../ui/form/segmented.tsx";
import { OverlayView } from "./overlay-view.tsx";
import { RegionCrops } from "./region-crops.tsx";
import { SideBySide } from "./side-by-side.tsx";
import type { Sides } from "./sides.ts";
import { SliderView } from "./slider-view.tsx";

const choices = [
  { value: "side", label: "Side by side" },
  { value: "slider", label: "Slider" },
  { value: "overlay", label: "Overlay" },
  { value: "regions", label: "Regions" },
] as const;

const views = { side: SideBySide, slider: SliderView, overlay: OverlayView, regions: RegionCrops };

export function ComparisonView(sides: Sides) {
  const { view = "side" } = useSearch({ from: "/account/watches/$id/runs/$run" });
  const navigate = useNavigate({ from: "/watches/$id/runs/$run" });
  const View = views[view];
  return (
    <div className="grid min-w-0 gap-3">
      <Segmented
        label="View"
        hideLabel
        choices={choices.filter(({ value }) => value !== "regions" || sides.regions.length > 0)}
        value={view}
        onChange={(value) => void navigate({ search: { view: value === "side" ? undefined : value }, replace: true, resetScroll: false })}
      />
      <View {...sides} />
    </div>
  );
}
