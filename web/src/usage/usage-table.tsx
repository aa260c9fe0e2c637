/** The numbers in the chart, for each day with requests. */

import type { UsageDay } from "../api/types.ts";
import { bytesOf, count, counted, dayOf } from "../ui/format.ts";

export function UsageTable({ days }: { days: UsageDay[] }) {
  const busy = days.filter((day) => day.captured + day.cached + day.failed + day.rejected > 0).toReversed();
  return (
    <details className="text-sm">
      <summary className="w-fit rounded text-muted hover:text-ink">Show as table</summary>
      {busy.length === 0 ? (
        <p className="mt-3 text-muted">No requests in {counted(days.length, "day")}.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        <section className="mt-3 overflow-x-auto" tabIndex={0} aria-label="Numbers of each day">
          <table className="tabular w-full text-right">
            <thead className="text-muted">
              <tr>
                {["Day", "Captured", "Cached", "Failed", "Rejected", "Delivered"].map((head, index) => (
                  <th key={head} scope="col" className={`py-1 pl-4 font-normal whitespace-nowrap ${index === 0 ? "pl-0 text-left" : ""}`}>
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {busy.map((day) => (
                <tr key={day.day} className="border-t border-line">
                  <th scope="row" className="py-1 text-left font-normal whitespace-nowrap">
                    {dayOf(day.day)}
                  </th>
                  {[day.captured, day.cached, day.failed, day.rejected].map((value, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: four columns whose order never changes
                    <td key={index} className="pl-4">
                      {count(value)}
                    </td>
                  ))}
                  <td className="pl-4 whitespace-nowrap">{bytesOf(day.bytes)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}
