/** Fields for a site whose links are followed. */

import { AreaField, TextField } from "../../ui/form/field.tsx";
import type { Draft } from "./request.ts";

export function SiteFields({ draft, onChange }: { draft: Draft; onChange: (part: Partial<Draft>) => void }) {
  return (
    <div className="grid gap-4">
      <div className="grid items-start gap-4 sm:grid-cols-[minmax(0,1fr)_7rem_9rem]">
        <TextField
          label="First page"
          name="crawl.url"
          value={draft.url}
          onChange={({ target }) => onChange({ url: target.value })}
          inputMode="url"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={2048}
          placeholder="https://example.com"
          required
        />
        <TextField
          label="Depth"
          name="crawl.depth"
          value={draft.depth}
          onChange={({ target }) => onChange({ depth: target.value })}
          type="number"
          min={1}
          max={5}
          placeholder="3"
        />
        <TextField
          label="Page limit"
          name="crawl.limit"
          value={draft.limit}
          onChange={({ target }) => onChange({ limit: target.value })}
          type="number"
          min={1}
          max={1000}
          placeholder="100"
        />
      </div>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <AreaField
          label="Include"
          name="crawl.include"
          value={draft.include}
          onChange={({ target }) => onChange({ include: target.value })}
          hint="Path patterns, one per line. All paths if empty."
          placeholder="/docs/*"
          rows={3}
          spellCheck={false}
          className="font-mono text-sm"
        />
        <AreaField
          label="Exclude"
          name="crawl.exclude"
          value={draft.exclude}
          onChange={({ target }) => onChange({ exclude: target.value })}
          placeholder="*/print/*"
          rows={3}
          spellCheck={false}
          className="font-mono text-sm"
        />
      </div>
    </div>
  );
}
