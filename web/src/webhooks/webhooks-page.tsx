/** Webhooks: the signing secret, how to verify, paused URLs, deliveries. */

import { useSuspenseInfiniteQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { deliveriesQuery, webhooksQuery } from "../api/webhook-queries.ts";
import { Button } from "../ui/button.tsx";
import { Empty, type ExampleRow, ExampleRows } from "../ui/empty.tsx";
import { Segmented } from "../ui/form/segmented.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { ShowMore } from "../ui/show-more.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import { PausedAddresses } from "./paused-addresses.tsx";
import { SendTest } from "./send-test.tsx";
import { SigningSecret } from "./signing-secret.tsx";
import { Verify } from "./verify.tsx";

const choices = [
  { value: "", label: "All" },
  { value: "pending", label: "Pending" },
  { value: "delivered", label: "Delivered" },
  { value: "failed", label: "Failed" },
];

export function WebhooksPage() {
  const filter = useSearch({ from: "/account/webhooks" });
  const navigate = useNavigate({ from: "/webhooks" });
  const { paused } = useSuspenseQuery(webhooksQuery).data;
  const list = useSuspenseInfiniteQuery(deliveriesQuery(filter));
  const deliveries = list.data.pages.flatMap((page) => page.deliveries);
  const [testing, setTesting] = useState(false);
  return (
    <Page
      title="Webhooks"
      about="Requests that notify your server of events, such as a finished capture. They are kept here for 30 days."
      actions={
        <Button look="primary" onClick={() => setTesting(true)}>
          <Icon name="webhooks" />
          Send a test event
        </Button>
      }
    >
      <PausedAddresses addresses={paused} />
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <SigningSecret />
        <Verify />
      </div>
      <section className="grid gap-4">
        <div className="flex flex-wrap items-center justify-between gap-4">
          <h2 className="text-lg font-semibold tracking-tight">Deliveries</h2>
          <Segmented
            label="State"
            hideLabel
            choices={choices}
            value={filter.state ?? ""}
            onChange={(state) => void navigate({ search: { state: state || undefined }, replace: true, resetScroll: false })}
          />
        </div>
        {deliveries.length === 0 ? <NoDeliveries isFiltered={filter.state !== undefined} /> : <DeliveryList deliveries={deliveries} />}
        <ShowMore list={list} />
      </section>
      {testing && <SendTest onClose={() => setTesting(false)} />}
    </Page>
  );
}

const exampleDeliveries: ExampleRow[] = [
  { title: "capture.done", about: "https://example.com/webhooks", badge: ["good", "Delivered"], time: "just now" },
  { title: "watch.changed", about: "https://example.com/webhooks", badge: ["good", "Delivered"], time: "3 hours ago" },
];

function NoDeliveries({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <p className="text-muted">No matching deliveries.</p>;
  return (
    <Empty title="Nothing has been sent yet" example={<ExampleRows rows={exampleDeliveries} />}>
      Give a capture, a batch or a watch a webhook URL, or send a test event: each delivery appears here with its response.
    </Empty>
  );
}
