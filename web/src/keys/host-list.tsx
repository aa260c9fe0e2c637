/** Edits a list of hosts, validates it while typing, and checks a URL against it. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useDeferredValue, useState } from "react";
import { call } from "../api/client.ts";
import type { KeyCheck } from "../api/types.ts";
import { useDebounced } from "../ui/debounced.ts";
import { AreaField, TextField } from "../ui/form/field.tsx";
import { linesOf } from "./rules.ts";

interface HostListProps {
  list: "domains" | "targets";
  label: string;
  hint: ReactNode;
  question: string;
  example: string;
  value: string;
  onChange: (value: string) => void;
  allowMissingOrigin?: boolean;
}

export function HostList({ list, label, hint, question, example, value, onChange, allowMissingOrigin = false }: HostListProps) {
  const [address, setAddress] = useState("");
  const entries = useDebounced(value);
  const checked = useDebounced(address);
  const body = {
    list,
    entries: linesOf(entries),
    ...(list === "domains" ? { allow_missing_origin: allowMissingOrigin } : {}),
    address: checked.trim() === "" ? null : checked.trim(),
  };
  const check = useQuery({
    queryKey: ["key-check", body],
    queryFn: ({ signal }) => call<KeyCheck>("/v1/account/keys/check", { method: "POST", body, signal }),
    enabled: body.entries.length > 0 || body.address !== null,
    placeholderData: keepPreviousData,
  });
  const result = useDeferredValue(body.entries.length > 0 || body.address !== null ? check.data : undefined);
  const problems = result?.entries.filter(({ problem }) => problem !== null) ?? [];
  const rewritten = result?.entries.filter(({ input, entry }) => entry !== null && entry !== input) ?? [];
  const verdict = checked.trim() === "" ? null : (result?.verdict ?? null);
  return (
    <div className="grid gap-4">
      <AreaField
        label={label}
        name={list === "domains" ? "allowed_domains" : "allowed_targets"}
        hint={hint}
        rows={Math.min(8, Math.max(3, value.split("\n").length + 1))}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        placeholder={example}
        spellCheck={false}
        autoCapitalize="none"
        className="font-mono text-sm"
      />
      <div aria-live="polite" className="grid gap-1 text-sm empty:hidden">
        {problems.map(({ input, problem }) => (
          <p key={input} className="text-bad">
            {problem}
          </p>
        ))}
        {rewritten.map(({ input, entry }) => (
          <p key={input} className="text-muted">
            <code className="font-mono">{input}</code> will be saved as <code className="font-mono">{entry}</code>.
          </p>
        ))}
      </div>
      <div className="rounded-lg bg-sunken p-4">
        <TextField
          label={question}
          name={`try_${list}`}
          type="text"
          inputMode="url"
          value={address}
          onChange={(event) => setAddress(event.target.value)}
          placeholder="https://www.example.com/blog"
          spellCheck={false}
          autoCapitalize="none"
        />
        <p role="status" className="mt-2 min-h-6 text-sm">
          {verdict && (
            <span className={verdict.allowed ? "text-good" : "text-bad"}>
              <strong className="font-semibold">{verdict.allowed ? "Allowed." : "Not allowed."}</strong> {verdict.reason}
            </span>
          )}
        </p>
      </div>
    </div>
  );
}
