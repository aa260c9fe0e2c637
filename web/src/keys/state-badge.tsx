/** Whether a key works. */

import type { Key } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";

const words: Record<Key["state"], [tone: Parameters<typeof Badge>[0]["tone"], word: string]> = {
  active: ["good", "Active"],
  disabled: ["plain", "Disabled"],
  expired: ["plain", "Expired"],
  replaced: ["warn", "Replaced"],
  revoked: ["bad", "Revoked"],
};

export function StateBadge({ state }: { state: Key["state"] }) {
  const [tone, word] = words[state];
  return <Badge tone={tone}>{word}</Badge>;
}
