/** Queries the billing provider once, for people who come back from its portal. */

import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";

/** Meanwhile, the page shows what is known, even if the provider is unavailable. */
export function useFreshState(isWanted: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!isWanted) return;
    const update = () => refresh(queries, "account", "plans", "billing");
    void call("/v1/account/billing/check", { method: "POST" }).then(update, () => {});
  }, [isWanted, queries]);
}
