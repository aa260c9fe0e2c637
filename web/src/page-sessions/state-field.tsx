/** A state that Playwright has written: a file, or its text. */

import { useRef } from "react";
import { announce } from "../shell/announcer.tsx";
import { AreaField } from "../ui/form/field.tsx";
import { summaryOf } from "./input.ts";

export function StateField({ text, onText }: { text: string; onText: (text: string) => void }) {
  return (
    <>
      <p className="text-sm text-muted">
        Sign in with a browser that Playwright opens, and close it. It saves the state to a file:{" "}
        <code className="font-mono text-[0.8125rem] wrap-anywhere">
          npx playwright codegen --save-storage=state.json https://example.com/login
        </code>
      </p>
      <AreaField
        label="State"
        name="state"
        aside={<ChooseFile onText={onText} />}
        value={text}
        onChange={({ target }) => onText(target.value)}
        autoComplete="off"
        spellCheck={false}
        rows={6}
        className="font-mono text-[0.8125rem]"
        placeholder='{"cookies": [{"name": "sid", …}], "origins": []}'
        hint={summaryOf(text) ?? "Choose the file, or paste its text. It is stored encrypted, and never shown again."}
        required
      />
    </>
  );
}

/** Larger ones are refused by the API. */
const fileBytesMax = 1024 * 1024;

function ChooseFile({ onText }: { onText: (text: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const read = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > fileBytesMax) announce("The file is larger than 1 MB");
    else onText(await file.text());
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        aria-label="File with the state"
        className="hidden"
        onChange={({ target }) => void read(target.files?.[0])}
      />
      <button
        type="button"
        onClick={() => input.current?.click()}
        className="rounded text-sm font-medium text-accent underline underline-offset-4"
      >
        Choose a file
      </button>
    </>
  );
}
