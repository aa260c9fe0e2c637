/** A time as distance from now, with the exact one to hover. */

import { relativeTo, timeOf } from "./words.ts";

export function Ago({ time, never = "never" }: { time: string | null; never?: string }) {
  if (time === null) return <span>{never}</span>;
  return (
    <time dateTime={time} title={timeOf(time)} className="whitespace-nowrap">
      {relativeTo(time)}
    </time>
  );
}
