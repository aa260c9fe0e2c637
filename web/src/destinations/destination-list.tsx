/** Destinations: their buckets, whether copies arrive, and a menu of what can be done with each. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import type { Destination } from "../api/types.ts";
import { announce } from "../shell/announcer.tsx";
import { Ago } from "../ui/ago.tsx";
import { Badge } from "../ui/badge.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { ActionMenu } from "../ui/menu.tsx";
import { SaveDestination } from "./save-destination.tsx";
import { TestDestination } from "./test-destination.tsx";

export function DestinationList({ destinations }: { destinations: Destination[] }) {
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-2xl border border-line bg-surface">
      {destinations.map((destination) => (
        <Row key={destination.id} destination={destination} />
      ))}
    </ul>
  );
}

function Row({ destination }: { destination: Destination }) {
  const { name, endpoint, bucket, template, copied_at: copied, error, error_at: failed } = destination;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_2.25rem] items-start gap-x-4 gap-y-1 px-5 py-4 text-sm md:grid-cols-[minmax(0,5fr)_minmax(0,2fr)_2.25rem] md:items-center">
      <div className="grid min-w-0 gap-1">
        <p className="flex min-w-0 items-center gap-2">
          <span className="truncate font-mono font-medium">{name}</span>
          <State destination={destination} />
        </p>
        <p className="truncate text-muted" title={`${endpoint}/${bucket}`}>
          {bucket} at {new URL(endpoint).host}
        </p>
        <p className="truncate font-mono text-[0.8125rem] text-muted" title={template}>
          {template}
        </p>
        {error && (
          <p className="wrap-anywhere text-bad">
            {error} {failed && <Ago time={failed} />}
          </p>
        )}
      </div>
      <p className="text-muted max-md:order-1 max-md:col-span-2">
        {copied === null ? (
          "Nothing copied yet"
        ) : (
          <>
            Latest copy <Ago time={copied} />
          </>
        )}
      </p>
      <div className="max-md:row-start-1 max-md:col-start-2 md:justify-self-end">
        <Actions destination={destination} />
      </div>
    </li>
  );
}

function State({ destination: { is_paused: isPaused, error, copied_at: copied } }: { destination: Destination }) {
  if (isPaused) return <Badge tone="bad">Paused</Badge>;
  if (error !== null) return <Badge tone="bad">Fails</Badge>;
  return copied === null ? <Badge tone="plain">Untested</Badge> : <Badge tone="good">Works</Badge>;
}

function Actions({ destination }: { destination: Destination }) {
  const { name } = destination;
  const [doing, setDoing] = useState<"test" | "replace" | "delete">();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => call(`/v1/account/destinations/${name}`, { method: "DELETE" }),
    onSuccess: () => {
      setDoing(undefined);
      announce("Destination deleted");
      return refresh(queries, "destinations");
    },
  });
  return (
    <>
      <ActionMenu
        name={name}
        actions={[
          { label: "Test", icon: "play", run: () => setDoing("test") },
          { label: "Replace", icon: "rotate", run: () => setDoing("replace") },
          { label: "Delete", icon: "remove", isDangerous: true, run: () => setDoing("delete") },
        ]}
      />
      {doing === "test" && <TestDestination name={name} onClose={() => setDoing(undefined)} />}
      {doing === "replace" && <SaveDestination replaced={destination} onClose={() => setDoing(undefined)} />}
      {doing === "delete" && (
        <Confirm
          title={`Delete “${name}”?`}
          action="Delete"
          pending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setDoing(undefined)}
        >
          <p>Its access key is deleted immediately, and pending copies fail. Existing copies stay in the bucket.</p>
        </Confirm>
      )}
    </>
  );
}
