/** Entries of the audit log, newest first. */

import type { ReactNode } from "react";
import type { AuditEntry } from "../api/types.ts";
import { timeOf } from "../ui/format.ts";
import { actionNames, changeText } from "./words.ts";

/** @param people returns who made the change and, for administrators, whose account it concerns. */
export function AuditList<Entry extends AuditEntry>({ entries, people }: { entries: Entry[]; people: (entry: Entry) => ReactNode }) {
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-2xl border border-line bg-surface">
      {entries.map((entry) => (
        <li
          key={entry.id}
          className="grid gap-x-6 gap-y-1 px-5 py-4 text-sm sm:grid-cols-[minmax(0,3fr)_minmax(0,2fr)_minmax(0,11rem)] sm:items-baseline"
        >
          <div className="min-w-0">
            <p>
              <span className="font-medium">{actionNames[entry.action]}</span>
              {entry.subject && <span className="wrap-anywhere text-muted"> · {entry.subject}</span>}
            </p>
            {entry.changes.length > 0 && (
              <ul className="text-muted">
                {entry.changes.map((change) => (
                  <li key={change.field} className="wrap-anywhere">
                    {changeText(change)}
                  </li>
                ))}
              </ul>
            )}
          </div>
          <div className="min-w-0 wrap-anywhere">
            {people(entry)}
            {entry.ip_address && <span className="block text-muted">{entry.ip_address}</span>}
          </div>
          <time dateTime={entry.created_at} className="tabular text-muted sm:text-right">
            {timeOf(entry.created_at)}
          </time>
        </li>
      ))}
    </ul>
  );
}
