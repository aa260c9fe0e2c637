/** Notice that webhooks are paused. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { webhooksQuery } from "../api/webhook-queries.ts";
import { Notice } from "../ui/notice.tsx";

export function PausedNotice() {
  const { paused } = useSuspenseQuery(webhooksQuery).data;
  if (paused.length === 0) return null;
  return (
    <Notice tone="warn">
      Webhooks to {paused.length === 1 ? "a URL" : `${paused.length} URLs`} are paused because deliveries failed.{" "}
      <Link to="/webhooks" className="underline underline-offset-4">
        See why
      </Link>
    </Notice>
  );
}
