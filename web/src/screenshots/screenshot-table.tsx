/** Screenshots as a list, with more details than in the grid. */

import type { ScreenshotFilter } from "../api/screenshot-queries.ts";
import { Ago } from "../ui/ago.tsx";
import { bytesOf, counted, durationOf } from "../ui/format.ts";
import { type Outputs, shownOf } from "./captures.ts";
import { ScreenshotLink } from "./screenshot-link.tsx";
import { SelectBox, type Selection } from "./select-box.tsx";
import { OutputsBadge } from "./status-badge.tsx";
import { Thumbnail } from "./thumbnail.tsx";

interface ScreenshotTableProps {
  captures: Outputs[];
  filter: ScreenshotFilter;
  selection: Selection;
}

const wide = "max-lg:hidden";

export function ScreenshotTable({ captures, ...row }: ScreenshotTableProps) {
  return (
    <div className="overflow-hidden rounded-2xl border border-line bg-surface">
      <table className="w-full table-fixed text-left text-sm">
        <thead className="text-muted">
          <tr>
            <th scope="col" className="w-11 py-2.5 pl-4">
              <span className="sr-only">Selected</span>
            </th>
            <th scope="col" className="py-2.5 font-medium">
              Page
            </th>
            <th scope="col" className="w-33 px-3 py-2.5 font-medium sm:w-36">
              Status
            </th>
            <th scope="col" className={`w-40 px-3 py-2.5 font-medium ${wide}`}>
              Key
            </th>
            <th scope="col" className={`w-36 px-3 py-2.5 text-right font-medium ${wide}`}>
              Size
            </th>
            <th scope="col" className={`w-24 px-3 py-2.5 text-right font-medium ${wide}`}>
              Duration
            </th>
            <th scope="col" className="w-36 py-2.5 pr-4 pl-3 text-right font-medium max-sm:hidden">
              Taken
            </th>
          </tr>
        </thead>
        <tbody>
          {captures.map((outputs) => (
            <Row key={outputs[0].id} outputs={outputs} {...row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ outputs, filter, selection }: Omit<ScreenshotTableProps, "captures"> & { outputs: Outputs }) {
  const { image, format, key_id, key_name, key_hint, width, height, created_at } = shownOf(outputs);
  const sizes = outputs.flatMap(({ bytes }) => bytes ?? []);
  const duration = Math.max(...outputs.map(({ duration_ms }) => duration_ms ?? 0));
  const keyName = key_id === null ? "Playground" : (key_name ?? key_hint ?? "a key");
  const pixels = width !== null && height !== null && `${width} × ${height}`;
  const size = outputs.length > 1 ? counted(sizes.length, "file") : pixels;
  const bytes = sizes.length > 0 && bytesOf(sizes.reduce((sum, one) => sum + one));
  return (
    <tr className="relative border-t border-line hover:bg-sunken">
      <td className="py-2.5 pl-4">
        <SelectBox outputs={outputs} selection={selection} />
      </td>
      <td className="py-2.5">
        <div className="flex items-center gap-3">
          <div className="h-10 w-16 shrink-0 overflow-hidden rounded border border-line bg-sunken max-sm:hidden">
            <Thumbnail image={image} format={format} small />
          </div>
          <div className="grid min-w-0">
            <ScreenshotLink
              outputs={outputs}
              filter={filter}
              className="hover:underline after:absolute after:inset-0 after:-outline-offset-2"
            />
            {/* What narrower windows have no columns for. */}
            <p className="tabular flex flex-wrap gap-x-2 text-xs leading-5 text-muted lg:hidden">
              <span className="sm:hidden">
                <Ago time={created_at} />
              </span>
              {[keyName, size, bytes, duration > 0 && durationOf(duration)].map((text) => text && <span key={text}>{text}</span>)}
            </p>
          </div>
        </div>
      </td>
      <td className="px-3 py-2.5">
        <OutputsBadge outputs={outputs} />
      </td>
      <td className={`truncate px-3 py-2.5 text-muted ${wide}`}>{keyName}</td>
      <td className={`tabular px-3 py-2.5 text-right text-muted ${wide}`}>
        {size}
        <span className="block">{bytes}</span>
      </td>
      <td className={`tabular px-3 py-2.5 text-right text-muted ${wide}`}>{duration > 0 && durationOf(duration)}</td>
      <td className="py-2.5 pr-4 pl-3 text-right text-muted max-sm:hidden">
        <Ago time={created_at} />
      </td>
    </tr>
  );
}
