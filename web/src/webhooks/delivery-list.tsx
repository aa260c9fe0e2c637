/** Deliveries, newest first. */

import { Link } from "@tanstack/react-router";
import type { WebhookDelivery } from "../api/types.ts";
import { Ago } from "../ui/ago.tsx";
import { DeliveryState } from "./delivery-state.tsx";

export function DeliveryList({ deliveries }: { deliveries: WebhookDelivery[] }) {
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-2xl border border-line bg-surface">
      {deliveries.map((delivery) => (
        <li
          key={delivery.id}
          className="relative grid gap-x-6 gap-y-1 px-5 py-4 text-sm hover:bg-line/20 sm:grid-cols-[minmax(0,3fr)_minmax(0,4fr)_8rem] sm:items-baseline"
        >
          <p className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
            <Link
              to="/webhooks/$id"
              params={{ id: delivery.id }}
              className="rounded font-mono font-medium after:absolute after:inset-0 hover:underline"
            >
              {delivery.type}
            </Link>
            <DeliveryState delivery={delivery} />
          </p>
          <div className="min-w-0">
            <p className="font-mono break-all">{delivery.url}</p>
            {delivery.error && <p className="wrap-anywhere text-muted">{delivery.error}</p>}
          </div>
          <p className="text-muted sm:text-right">
            <Ago time={delivery.created_at} />
          </p>
        </li>
      ))}
    </ul>
  );
}
