/** The form fields of a key's rules. */

import { CheckField, TextField } from "../ui/form/field.tsx";
import { HostList } from "./host-list.tsx";
import type { Draft } from "./rules.ts";

export const ruleFields = ["name", "allowed_domains", "allowed_targets", "allow_missing_origin", "require_signature", "expires_at"];

export function RulesFields({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  const set = (part: Partial<Draft>) => onChange({ ...draft, ...part });
  return (
    <>
      <TextField
        label="Name"
        name="name"
        value={draft.name}
        onChange={(event) => set({ name: event.target.value })}
        maxLength={100}
        required
        hint="For your reference, such as where the key is used."
      />
      <HostList
        list="domains"
        label="Allowed websites"
        hint={
          <>
            Websites whose pages may use the key, one per line: <code className="font-mono">example.com</code>, or{" "}
            <code className="font-mono">*.example.com</code> for all subdomains. Leave empty to allow all. Applies to browsers only:
            programs can send any origin.
          </>
        }
        question="Test a page"
        example="example.com"
        value={draft.allowed_domains}
        onChange={(allowed_domains) => set({ allowed_domains })}
        allowMissingOrigin={draft.allow_missing_origin}
      />
      <CheckField
        label="Allow requests without a website"
        name="allow_missing_origin"
        hint="Accepts requests without Origin and Referer headers, such as those sent by programs. Only relevant if websites are listed."
        checked={draft.allow_missing_origin}
        onChange={(event) => set({ allow_missing_origin: event.target.checked })}
      />
      <details open={draft.allowed_targets !== "" || draft.require_signature || draft.expires_on !== "" || undefined} className="group">
        <summary className="w-fit rounded text-sm font-medium text-muted hover:text-ink">Allowed targets, signed requests, expiry</summary>
        <div className="mt-5 grid gap-5">
          <HostList
            list="targets"
            label="Allowed targets"
            hint="Websites that may be captured, one per line. Leave empty to allow all. Enforced by the server: a leaked key can only capture these sites."
            question="Test a target"
            example="example.com"
            value={draft.allowed_targets}
            onChange={(allowed_targets) => set({ allowed_targets })}
          />
          <CheckField
            label="Signed requests only"
            name="require_signature"
            hint="Every request must be signed with the key's signing secret, so that nobody can tamper with it."
            checked={draft.require_signature}
            onChange={(event) => set({ require_signature: event.target.checked })}
          />
          <TextField
            label="Last day of validity"
            name="expires_at"
            type="date"
            value={draft.expires_on}
            onChange={(event) => set({ expires_on: event.target.value })}
            hint="Leave empty for a key that doesn't expire."
            className="max-w-56"
          />
        </div>
      </details>
    </>
  );
}
