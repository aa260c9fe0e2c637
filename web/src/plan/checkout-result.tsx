/** After checkout: waits until the provider confirms the payment, and reports it. */

import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import type { Billing } from "../api/types.ts";
import { Notice } from "../ui/notice.tsx";

const pauseMs = 2_500;
const attemptsMax = 12;

export function CheckoutResult() {
  const queries = useQueryClient();
  const navigate = useNavigate({ from: "/plan" });
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    let timer: number | undefined;
    const controller = new AbortController();
    const ask = async (attempt: number): Promise<void> => {
      const result = await call<Billing>("/v1/account/billing/check", { method: "POST", signal: controller.signal }).catch(() => undefined);
      if (controller.signal.aborted) return;
      if (result?.subscription?.status === "active" || result?.subscription?.status === "trialing") {
        await refresh(queries, "account", "plans", "billing");
        void navigate({ search: { checkout: "done" }, replace: true, resetScroll: false });
        return;
      }
      if (attempt === attemptsMax) setLate(true);
      else timer = window.setTimeout(() => void ask(attempt + 1), pauseMs);
    };
    void ask(1);
    return () => {
      controller.abort();
      window.clearTimeout(timer);
    };
  }, [queries, navigate]);
  return (
    <Notice tone="warn">
      {isLate
        ? "Your payment is not confirmed yet. If it went through, your new plan starts automatically, usually within the hour."
        : "Confirming your payment …"}
    </Notice>
  );
}
