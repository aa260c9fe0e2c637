/** The fields of a key's rules, for a new key and for one that exists. */

import { CheckField, TextField } from "../ui/field.tsx";
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
        hint="For yourself: where the key is used."
      />
      <HostList
        list="domains"
        label="Web sites that may use it"
        hint={
          <>
            One on a line: <code className="font-mono">example.com</code>, or <code className="font-mono">*.example.com</code> for all below
            it. Empty: anywhere. Browsers enforce this; a program can claim to be any site.
          </>
        }
        question="Would this page be allowed?"
        example="example.com"
        value={draft.allowed_domains}
        onChange={(allowed_domains) => set({ allowed_domains })}
        allowMissingOrigin={draft.allow_missing_origin}
      />
      <CheckField
        label="Also allow requests that name no site"
        name="allow_missing_origin"
        hint="Programs, and pages that hide where they are. Matters only with sites in the list."
        checked={draft.allow_missing_origin}
        onChange={(event) => set({ allow_missing_origin: event.target.checked })}
      />
      <details open={draft.allowed_targets !== "" || draft.require_signature || draft.expires_on !== "" || undefined} className="group">
        <summary className="w-fit rounded text-sm font-medium text-muted hover:text-ink">
          What may be captured, signed requests, how long
        </summary>
        <div className="mt-5 grid gap-5">
          <HostList
            list="targets"
            label="Web sites that may be captured"
            hint="One on a line, empty: any. Nobody can get around this list: with it, a leaked key captures your own sites only."
            question="Could this address be captured?"
            example="example.com"
            value={draft.allowed_targets}
            onChange={(allowed_targets) => set({ allowed_targets })}
          />
          <CheckField
            label="Signed requests only"
            name="require_signature"
            hint="Then nobody can change a request that they see: each carries a signature, made with the key's signing secret."
            checked={draft.require_signature}
            onChange={(event) => set({ require_signature: event.target.checked })}
          />
          <TextField
            label="Works until the end of"
            name="expires_at"
            type="date"
            value={draft.expires_on}
            onChange={(event) => set({ expires_on: event.target.value })}
            hint="Empty: until it is revoked."
            className="max-w-56"
          />
        </div>
      </details>
    </>
  );
}
