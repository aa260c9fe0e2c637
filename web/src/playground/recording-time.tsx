/** The elapsed time of a recording and its limit. The number of frames drawn isn't known until the response arrives. */

import { useEffect, useState } from "react";

const everyMs = 500;

export function RecordingTime({ limit }: { limit: number }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const started = performance.now();
    const timer = setInterval(() => setSeconds((performance.now() - started) / 1000), everyMs);
    return () => clearInterval(timer);
  }, []);
  const text = `${Math.floor(seconds)} of at most ${limit} seconds`;
  return (
    <div className="grid w-56 gap-2 text-center">
      <p className="font-medium">Recording…</p>
      <div
        role="progressbar"
        aria-label="Time taken"
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.floor(seconds)}
        aria-valuetext={text}
        className="h-2.5 overflow-hidden rounded-full bg-line"
      >
        <div className="h-full bg-accent" style={{ width: `${Math.min(1, seconds / limit) * 100}%` }} />
      </div>
      <p className="tabular text-sm text-muted">{text}</p>
    </div>
  );
}
