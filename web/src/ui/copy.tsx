/** Text to take away: shown in one piece, copied by a button. */

import { useState } from "react";
import { Button } from "./button.tsx";

/** Says itself what became of it: elsewhere nobody would look, and under a dialog nobody would hear it. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [outcome, setOutcome] = useState<"" | "Copied" | "Not possible">("");
  const copy = async () => {
    const done = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false, // not on an https address, or refused: the text can still be selected
    );
    setOutcome(done ? "Copied" : "Not possible");
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

/** Code beside a button that copies it; long lines scroll. */
export function CodeBlock({ code, what }: { code: string; what: string }) {
  return (
    <div className="grid min-w-0 gap-2">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0} className="overflow-x-auto rounded-lg border border-line bg-sunken p-4 font-mono text-[0.8125rem] leading-relaxed">
        <code>{code}</code>
      </pre>
      <div className="justify-self-end">
        <CopyButton text={code} what={what} />
      </div>
    </div>
  );
}
