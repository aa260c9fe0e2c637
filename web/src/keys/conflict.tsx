/** Edit conflict of a key: shows both versions and lets the user choose. */

import { useEffect, useRef } from "react";
import type { Key } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import { changes, type Draft, draftOf, type KeyRules } from "./rules.ts";

const labels: Record<keyof KeyRules, [field: keyof Draft, name: string]> = {
  name: ["name", "Name"],
  allowed_domains: ["allowed_domains", "Allowed websites"],
  allowed_targets: ["allowed_targets", "Allowed targets"],
  allow_missing_origin: ["allow_missing_origin", "Requests without a website"],
  require_signature: ["require_signature", "Unsigned requests"],
  expires_at: ["expires_on", "Expires"],
};

interface ConflictProps {
  base: Key;
  mine: Draft;
  theirs: Key;
  pending: boolean;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}

export function Conflict({ base, mine, theirs, pending, onKeepMine, onTakeTheirs }: ConflictProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const other = draftOf(theirs);
  const fields = Object.keys({ ...changes(base, mine), ...changes(base, other) }) as (keyof KeyRules)[];
  return (
    <section className="grid gap-4 rounded-lg border border-warn/40 bg-warn-soft p-4 text-sm" aria-labelledby="conflict">
      <h3 id="conflict" ref={heading} tabIndex={-1} className="font-semibold text-warn outline-none">
        This key has been changed in the meantime
      </h3>
      <div className="overflow-x-auto">
        <table className="w-full text-left">
          <thead>
            <tr>
              {["", "Your version", "Saved version"].map((head) => (
                <th key={head} scope="col" className="py-1 pr-4 font-medium">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => {
              const [name, label] = labels[field];
              return (
                <tr key={field} className="border-t border-warn/30 align-top">
                  <th scope="row" className="py-1 pr-4 font-medium">
                    {label}
                  </th>
                  <td className="py-1 pr-4 font-mono whitespace-pre-line">{shown(name, mine)}</td>
                  <td className="py-1 font-mono whitespace-pre-line">{shown(name, other)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p>Either way, fields that you didn't change keep their saved values.</p>
      <div className="flex flex-wrap gap-3">
        <Button pending={pending} onClick={onKeepMine}>
          Save my version
        </Button>
        <Button onClick={onTakeTheirs}>Use the saved version</Button>
      </div>
    </section>
  );
}

function shown(field: keyof Draft, draft: Draft): string {
  const value = draft[field];
  if (typeof value === "string") return value || "–";
  return value === (field === "require_signature") ? "rejected" : "allowed";
}
