/** The outputs of a capture, side by side. */

import type { Capture } from "../api/types.ts";
import { OutputPreview } from "./output-preview.tsx";
import { Warnings } from "./warnings.tsx";

const documents = { html: "your HTML", markdown: "your Markdown" };

export function OutputPreviews({ capture: { outputs, source, target, loads, warnings } }: { capture: Capture }) {
  const page = source === "url" ? target.url : documents[source];
  return (
    <div className="grid gap-6">
      <ul className={`grid gap-6 ${outputs.length > 1 ? "sm:grid-cols-2" : ""}`}>
        {outputs.map(({ warnings: all = [], ...output }) => (
          <li key={output.name} className="min-w-0">
            <OutputPreview
              isAlone={outputs.length === 1}
              output={{ ...output, warnings: all.filter((one) => !warnings.includes(one)) }}
              page={page}
            />
          </li>
        ))}
      </ul>
      <Warnings warnings={warnings} />
      <p className="text-sm wrap-anywhere text-muted">
        {loads === 0 ? "All from the cache" : loads === 1 ? "One load" : `${loads} loads`} of {page}
      </p>
    </div>
  );
}
