/** The state of a key. */

import type { Key } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";

const states: Record<Key["state"], [tone: Parameters<typeof Badge>[0]["tone"], label: string]> = {
  active: ["good", "Active"],
  disabled: ["plain", "Disabled"],
  expired: ["plain", "Expired"],
  replaced: ["warn", "Replaced"],
  revoked: ["bad", "Revoked"],
};

export function StateBadge({ state }: { state: Key["state"] }) {
  const [tone, label] = states[state];
  return <Badge tone={tone}>{label}</Badge>;
}
