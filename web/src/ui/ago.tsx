/** A relative time; the tooltip shows the exact one. */

import { relativeTo, timeOf } from "./format.ts";

export function Ago({ time, never = "never" }: { time: string | null; never?: string }) {
  if (time === null) return <span>{never}</span>;
  return (
    <time dateTime={time} title={timeOf(time)} className="whitespace-nowrap">
      {relativeTo(time)}
    </time>
  );
}
