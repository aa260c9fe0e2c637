/** The outputs of a capture, side by side. */

import type { Capture } from "../api/types.ts";
import { OutputPreview } from "./output-preview.tsx";
import { Warnings } from "./warnings.tsx";

export function OutputPreviews({ capture: { outputs, target, loads, warnings } }: { capture: Capture }) {
  return (
    <div className="grid gap-6">
      <ul className="grid gap-6 sm:grid-cols-2">
        {outputs.map(({ warnings: all = [], ...output }) => (
          <li key={output.name} className="min-w-0">
            <OutputPreview output={{ ...output, warnings: all.filter((one) => !warnings.includes(one)) }} page={target.url} />
          </li>
        ))}
      </ul>
      <Warnings warnings={warnings} />
      <p className="text-sm break-words text-muted">
        {loads === 0 ? "All from the cache" : loads === 1 ? "One load" : `${loads} loads`} of {target.url}
      </p>
    </div>
  );
}
