/** Regions excluded from comparison: muted by the owner, or learned during the first runs. */

import { useState } from "react";
import type { Watch } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/form/field.tsx";
import { Form } from "../ui/form/form.tsx";
import { Section } from "../ui/page.tsx";
import { useWatchAction } from "./use-watch-action.ts";

export function MutedList({ watch: { id, muted, ignore_selectors: ignored } }: { watch: Watch }) {
  const unmute = useWatchAction(id);
  return (
    <Section title="Muted">
      <div className="grid gap-4">
        {muted.length + ignored.length === 0 ? (
          <p className="text-sm text-muted">Nothing yet. Mute a region of a run, or add a selector, to exclude it from comparisons.</p>
        ) : (
          <ul className="divide-y divide-line text-sm">
            {ignored.map((selector) => (
              <li key={selector} className="grid gap-1 py-2.5">
                <code className="font-mono text-[0.8125rem] break-all">{selector}</code>
                <span className="text-muted">From the watch's settings.</span>
              </li>
            ))}
            {muted.map((one) => (
              <li key={one.id} className="flex items-center justify-between gap-3 py-2.5">
                <Muted muted={one} />
                <Button
                  aria-label={`Unmute ${one.name}`}
                  pending={unmute.isPending && unmute.variables.path.endsWith(one.id)}
                  onClick={() => unmute.mutate({ method: "DELETE", path: `/muted/${one.id}`, done: "Compared again" })}
                >
                  Unmute
                </Button>
              </li>
            ))}
          </ul>
        )}
        <MuteSelector id={id} />
      </div>
    </Section>
  );
}

function Muted({ muted: { name, selector, box, by } }: { muted: Watch["muted"][number] }) {
  const place = selector ?? (box ? `${box.width} × ${box.height} pixels at ${box.x}, ${box.y}` : "");
  return (
    <div className="grid min-w-0 justify-items-start gap-1">
      {name !== place && <span className="line-clamp-2 wrap-anywhere">{name}</span>}
      <code className="font-mono text-[0.8125rem] break-all text-muted">{place}</code>
      {by === "learned" && <Badge tone="plain">Learned</Badge>}
    </div>
  );
}

function MuteSelector({ id }: { id: string }) {
  const [selector, setSelector] = useState("");
  const { mutate, isPending, error } = useWatchAction(id);
  const add = () =>
    mutate({ path: "/muted", body: { selector }, done: "Muted starting with the next run" }, { onSuccess: () => setSelector("") });
  return (
    <Form fields={["selector"]} pending={isPending} error={error} onSubmit={add}>
      <div className="flex items-end gap-3">
        <div className="min-w-0 flex-1">
          <TextField
            label="CSS selector"
            name="selector"
            value={selector}
            onChange={(event) => setSelector(event.target.value)}
            placeholder=".advert"
            className="font-mono text-sm"
            spellCheck={false}
            autoCapitalize="none"
            required
          />
        </div>
        <Button type="submit" pending={isPending}>
          Mute
        </Button>
      </div>
    </Form>
  );
}
