/** Webhook URLs to which nothing is sent until they are resumed. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import type { Webhooks } from "../api/types.ts";
import { announce } from "../shell/announcer.tsx";
import { Ago } from "../ui/ago.tsx";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";

type Address = Webhooks["paused"][number];

export function PausedAddresses({ addresses }: { addresses: Address[] }) {
  if (addresses.length === 0) return null;
  return (
    <Section title="Paused URLs">
      <div className="grid gap-4">
        <Notice tone="warn">
          Nothing is sent to these URLs until you resume them. Events that were missed in the meantime can be sent again.
        </Notice>
        <ul className="divide-y divide-line">
          {addresses.map((address) => (
            <Row key={address.id} address={address} />
          ))}
        </ul>
      </div>
    </Section>
  );
}

function Row({ address: { id, url, reason, paused_at: at } }: { address: Address }) {
  const queries = useQueryClient();
  const resume = useMutation({
    mutationFn: () => call(`/v1/account/webhooks/addresses/${id}/resume`, { method: "POST" }),
    onSuccess: () => {
      announce("URL resumed");
      return refresh(queries, "webhooks");
    },
  });
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 py-3 text-sm">
      <div className="min-w-0">
        <p className="font-mono break-all">{url}</p>
        <p className="text-muted">
          {reason} Paused <Ago time={at} />.
        </p>
        {resume.error && <Notice tone="bad">{resume.error.message}</Notice>}
      </div>
      <Button pending={resume.isPending} onClick={() => resume.mutate()} aria-label={`Resume ${url}`}>
        Resume
      </Button>
    </li>
  );
}
