/** When a watch runs: at an interval, or by a cron expression in a time zone. */

import { SelectField, TextField } from "../../ui/form/field.tsx";
import { Segmented } from "../../ui/form/segmented.tsx";
import { intervalOf } from "../words.ts";
import type { Draft } from "./draft.ts";

const intervals = ["5m", "15m", "30m", "1h", "3h", "6h", "12h", "1d", "7d", "30d"];

const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

const withOwn = (listed: string[], own: string): string[] => (listed.includes(own) ? listed : [own, ...listed]);

export function ScheduleFields({ draft, onChange }: { draft: Draft; onChange: (part: Partial<Draft>) => void }) {
  return (
    <div className="grid gap-4">
      <Segmented
        label="Schedule"
        choices={[
          { value: "every", label: "Interval" },
          { value: "cron", label: "Cron" },
        ]}
        value={draft.timing}
        onChange={(timing) => onChange({ timing })}
      />
      {draft.timing === "every" ? (
        <SelectField label="Interval" name="every" value={draft.every} onChange={(event) => onChange({ every: event.target.value })}>
          {withOwn(intervals, draft.every).map((every) => (
            <option key={every} value={every}>
              {intervalOf(every)}
            </option>
          ))}
        </SelectField>
      ) : (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Cron expression"
            name="cron"
            value={draft.cron}
            onChange={(event) => onChange({ cron: event.target.value })}
            hint="Minute, hour, day of the month, month, day of the week."
            className="font-mono"
            spellCheck={false}
            autoCapitalize="none"
            required
          />
          <SelectField
            label="Time zone"
            name="time_zone"
            value={draft.time_zone}
            onChange={(event) => onChange({ time_zone: event.target.value })}
            hint="Also the time zone of the captured page."
          >
            {withOwn(zones, draft.time_zone).map((zone) => (
              <option key={zone}>{zone}</option>
            ))}
          </SelectField>
        </div>
      )}
    </div>
  );
}
