/** A prominent message, announced to screen readers when it appears. Text in it may be a message from the API. */

import { Children, type ReactNode } from "react";
import { Prose } from "./prose.tsx";

const tones = {
  good: "border-good/40 bg-good-soft text-good",
  bad: "border-bad/40 bg-bad-soft text-bad",
  warn: "border-warn/40 bg-warn-soft text-warn",
};

export function Notice({ tone, children }: { tone: keyof typeof tones; children: ReactNode }) {
  return (
    <div role={tone === "bad" ? "alert" : "status"} className={`rounded-lg border px-4 py-3 text-sm wrap-anywhere ${tones[tone]}`}>
      {Children.map(children, (child) => (typeof child === "string" ? <Prose text={child} /> : child))}
    </div>
  );
}
