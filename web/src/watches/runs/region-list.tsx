/** The regions of a run by name: each highlights its box, and can be muted for later comparisons. */

import type { Watch } from "../../api/types.ts";
import { Badge } from "../../ui/badge.tsx";
import { Section } from "../../ui/page.tsx";
import type { Region } from "../comparison/sides.ts";
import { MuteRegion } from "./mute-region.tsx";

interface RegionListProps {
  watch: Watch;
  regions: Region[];
  selected: number | undefined;
  onSelect: (index: number | undefined) => void;
}

const kinds = { changed: ["warn", "Changed"], added: ["good", "Added"], removed: ["bad", "Removed"], moved: ["plain", "Moved"] } as const;

export function RegionList({ watch, regions, selected, onSelect }: RegionListProps) {
  return (
    <Section title="Regions" aside={regions.length > 0 && `${regions.length}`}>
      {regions.length === 0 ? (
        <p className="text-sm text-muted">Nothing differs from the accepted run.</p>
      ) : (
        <ol className="grid max-h-[75dvh] gap-2 overflow-auto p-1">
          {regions.map((region, index) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: the regions of a run never change
              key={index}
              className={`grid gap-2 rounded-lg border p-3 ${index === selected ? "border-accent bg-accent-soft" : "border-line"}`}
            >
              <button
                type="button"
                aria-pressed={index === selected}
                onClick={() => onSelect(index === selected ? undefined : index)}
                className="grid min-w-0 justify-items-start gap-1 rounded text-left text-sm"
              >
                <RegionName region={region} />
              </button>
              <div>
                <MuteRegion watch={watch} region={region} />
              </div>
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

function RegionName({ region: { kind, name, selector } }: { region: Region }) {
  const [tone, label] = kinds[kind];
  return (
    <>
      <Badge tone={tone}>{label}</Badge>
      <span className="max-w-full font-medium wrap-anywhere">{name}</span>
      {selector && <code className="max-w-full font-mono text-[0.8125rem] break-all text-muted">{selector}</code>}
    </>
  );
}
