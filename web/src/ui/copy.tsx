/** Buttons that copy to the clipboard, and texts with such a button. */

import { createContext, use, useState } from "react";
import { Button } from "./button.tsx";
import { highlight, type Language, type Token } from "./highlight.ts";
import { Icon, type IconName } from "./icon.tsx";

/** Called after each copy within it. */
export const OnCopied = createContext(() => {});

interface CopyActionProps {
  label: string;
  /** Accessible name, if it differs from the label. */
  name?: string;
  icon?: IconName;
  /** Rejects if the clipboard is not available (no secure context, or permission denied). */
  copy: () => Promise<void>;
}

/** Shows the outcome in its own label: a toast would be hidden behind a modal dialog. */
export function CopyAction({ label, name, icon = "copy", copy }: CopyActionProps) {
  const [outcome, setOutcome] = useState<"" | "Copied" | "Failed">("");
  const onCopied = use(OnCopied);
  const run = async () => {
    const done = await copy().then(
      () => true,
      () => false,
    );
    setOutcome(done ? "Copied" : "Failed");
    if (done) onCopied();
    setTimeout(() => setOutcome(""), 2_000);
  };
  return (
    <>
      <Button onClick={run} aria-label={name} className="min-w-20">
        <Icon name={outcome === "Copied" ? "check" : icon} />
        {outcome || label}
      </Button>
      <span role="status" className="sr-only">
        {outcome}
      </span>
    </>
  );
}

export function CopyButton({ text, what }: { text: string; what: string }) {
  return <CopyAction label="Copy" name={`Copy ${what}`} copy={async () => await navigator.clipboard.writeText(text)} />;
}

/** A key or link that is shown only once. */
export function CopyField({ text, what }: { text: string; what: string }) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <code data-secret className="control min-w-0 flex-1 basis-72 font-mono text-sm break-all select-all">
        {text}
      </code>
      <CopyButton text={text} what={what} />
    </div>
  );
}

const colors: Record<NonNullable<Token["kind"]>, string> = {
  string: "text-good",
  keyword: "text-accent",
  name: "text-warn",
  comment: "text-muted",
};

/** Code with a copy button; long lines scroll. */
export function CodeBlock({ code, what, language }: { code: string; what: string; language?: Language }) {
  const tokens: Token[] = language ? highlight(code, language) : [{ text: code }];
  return (
    <div className="grid min-w-0 gap-2">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <pre tabIndex={0} className="overflow-x-auto rounded-lg border border-line bg-sunken p-4 font-mono text-[0.8125rem] leading-relaxed">
        <code>
          {tokens.map(({ text, kind }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no identity other than their position
            <span key={index} className={kind && colors[kind]}>
              {text}
            </span>
          ))}
        </code>
      </pre>
      <div className="justify-self-end">
        <CopyButton text={code} what={what} />
      </div>
    </div>
  );
}
