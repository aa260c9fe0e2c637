/** The fields of a watch: page, schedule, comparison, notification. */

import type { Watch } from "../../api/types.ts";
import { AreaField, CheckField, SelectField, TextField } from "../../ui/form/field.tsx";
import { comparedNames } from "../words.ts";
import type { Draft } from "./draft.ts";
import { ScheduleFields } from "./schedule-fields.tsx";

interface WatchFieldsProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  /** Whether only part of the page is captured, so that the full page can't be selected. */
  isPart: boolean;
}

const fixed = { spellCheck: false, autoCapitalize: "none" } as const;

export function WatchFields({ draft, onChange, isPart }: WatchFieldsProps) {
  const set = (part: Partial<Draft>) => onChange({ ...draft, ...part });
  const text = (name: "url" | "name" | "threshold" | "ignore_selectors" | "webhook_url") => ({
    name,
    value: draft[name],
    onChange: ({ target }: { target: { value: string } }) => set({ [name]: target.value }),
  });
  return (
    <>
      <TextField
        label="URL"
        {...text("url")}
        {...fixed}
        inputMode="url"
        maxLength={2048}
        placeholder="https://example.com/pricing"
        required
      />
      <TextField label="Name" {...text("name")} maxLength={200} hint="For your reference. Defaults to the URL." />
      {!isPart && (
        <CheckField
          label="Full page"
          name="full_page"
          hint="Not only the part visible without scrolling."
          checked={draft.full_page}
          onChange={(event) => set({ full_page: event.target.checked })}
        />
      )}
      <ScheduleFields draft={draft} onChange={set} />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="What counts as a change"
          name="compare"
          value={draft.compare}
          onChange={(event) => set({ compare: event.target.value as Watch["compare"] })}
        >
          {Object.entries(comparedNames).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Threshold in %"
          {...text("threshold")}
          type="number"
          min={0}
          max={100}
          step="any"
          hint="Share of the pixels. 0: any visible change."
          required
        />
      </div>
      <AreaField
        label="Muted elements"
        {...text("ignore_selectors")}
        {...fixed}
        hint="CSS selectors of elements to ignore, one per line. Regions that differ between the first three runs are muted automatically."
        placeholder=".advert"
        className="font-mono text-sm"
      />
      <TextField
        label="Webhook URL"
        {...text("webhook_url")}
        {...fixed}
        type="url"
        placeholder="https://example.com/webhooks"
        hint="Receives watch.changed and watch.failed. Leave empty for none: changes are also in the watch's feed."
      />
    </>
  );
}
