/** Copy button, and a code block with one. */

import { useState } from "react";
import { Button } from "./button.tsx";

/** Shows the outcome in its own label: a toast would be hidden behind a modal dialog. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [outcome, setOutcome] = useState<"" | "Copied" | "Failed">("");
  const copy = async () => {
    const done = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false, // no secure context, or permission denied: the text can still be selected
    );
    setOutcome(done ? "Copied" : "Failed");
    setTimeout(() => setOutcome(""), 2_000);
  };
  return (
    <>
      <Button onClick={copy} aria-label={`Copy ${what}`} className="min-w-20">
        {outcome || "Copy"}
      </Button>
      <span role="status" className="sr-only">
        {outcome}
      </span>
    </>
  );
}

/** Code with a copy button; long lines scroll. */
export function CodeBlock({ code, what }: { code: string; what: string }) {
  return (
    <div className="grid min-w-0 gap-2">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <pre tabIndex={0} className="overflow-x-auto rounded-lg border border-line bg-sunken p-4 font-mono text-[0.8125rem] leading-relaxed">
        <code>{code}</code>
      </pre>
      <div className="justify-self-end">
        <CopyButton text={code} what={what} />
      </div>
    </div>
  );
}
