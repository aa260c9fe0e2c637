/** Fields for a site whose links are followed, and the limit that a sitemap has as well. */

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
        <LimitField name="crawl.limit" placeholder="100" value={draft.limit} onChange={onChange} />
      </div>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <AreaField
          {...patterns}
          label="Include"
          name="crawl.include"
          value={draft.include}
          onChange={({ target }) => onChange({ include: target.value })}
          hint="Path patterns, one per line. All paths if empty."
          placeholder="/docs/*"
        />
        <AreaField
          {...patterns}
          label="Exclude"
          name="crawl.exclude"
          value={draft.exclude}
          onChange={({ target }) => onChange({ exclude: target.value })}
          placeholder="*/print/*"
        />
      </div>
    </div>
  );
}

const patterns = { rows: 3, spellCheck: false, className: "font-mono text-sm" } as const;

interface LimitFieldProps {
  name: string;
  /** The API's default. */
  placeholder: string;
  value: string;
  onChange: (part: Pick<Draft, "limit">) => void;
}

export function LimitField({ onChange, ...field }: LimitFieldProps) {
  return (
    <TextField
      {...field}
      label="Page limit"
      onChange={({ target }) => onChange({ limit: target.value })}
      type="number"
      min={1}
      max={1000}
    />
  );
}
