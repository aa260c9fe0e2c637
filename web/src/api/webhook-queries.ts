/** API queries for webhooks: the secret and paused URLs, deliveries, one delivery. */

import { queryOptions } from "@tanstack/react-query";
import { call } from "./client.ts";
import { pagesQuery } from "./pages.ts";
import type { WebhookDelivery, WebhookDeliveryDetails, Webhooks } from "./types.ts";

export const webhooksQuery = queryOptions({
  queryKey: ["webhooks", "state"],
  queryFn: ({ signal }) => call<Webhooks>("/v1/account/webhooks", { signal }),
  staleTime: 0, // changes when a receiver responds
});

export interface DeliveryFilter {
  state?: string | undefined;
}

interface DeliveryPage {
  deliveries: WebhookDelivery[];
  next_cursor: string | null;
}

const soonMs = 10_000;
const pollMs = 2_000;

/** Milliseconds until the next poll if any delivery is being sent; false if none is. */
function pollWhileSending(deliveries: WebhookDelivery[]): number | false {
  const isSoon = ({ state, next_try_at: at }: WebhookDelivery) =>
    state === "pending" && at !== null && Date.parse(at) < Date.now() + soonMs;
  return deliveries.some(isSoon) ? pollMs : false;
}

export const deliveriesQuery = (filter: DeliveryFilter) => ({
  ...pagesQuery<DeliveryPage>(["webhooks", "deliveries", filter], "/v1/account/webhooks/deliveries", { limit: 25, ...filter }),
  staleTime: 0,
  refetchInterval: ({ state }: { state: { data?: { pages: DeliveryPage[] } | undefined } }) =>
    pollWhileSending(state.data?.pages.flatMap(({ deliveries }) => deliveries) ?? []),
});

export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ["webhooks", "delivery", id],
    queryFn: ({ signal }) => call<WebhookDeliveryDetails>(`/v1/account/webhooks/deliveries/${id}`, { signal }),
    refetchInterval: ({ state: { data } }) => pollWhileSending(data ? [data.delivery] : []),
  });
