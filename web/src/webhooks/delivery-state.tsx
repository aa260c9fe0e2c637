/** The state of a delivery, as a badge and in words. */

import type { WebhookDelivery } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";

const states: Record<WebhookDelivery["state"], [tone: Parameters<typeof Badge>[0]["tone"], label: string]> = {
  pending: ["plain", "Pending"],
  delivered: ["good", "Delivered"],
  failed: ["bad", "Failed"],
};

export function DeliveryState({ delivery: { state, tries } }: { delivery: WebhookDelivery }) {
  const [tone, label] = state === "pending" && tries > 0 ? (["warn", "Retrying"] as const) : states[state];
  return <Badge tone={tone}>{label}</Badge>;
}
