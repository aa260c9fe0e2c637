/** Shown on every page while a payment is overdue: what happened, and the one thing to do. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { accountQuery } from "../api/queries.ts";
import { Button } from "../ui/button.tsx";
import { useProviderPage } from "./use-provider-page.ts";
import { cardAction } from "./words.ts";

export function PaymentBanner() {
  const { plan } = useSuspenseQuery(accountQuery).data;
  const portal = useProviderPage();
  if (plan.status !== "past_due" && plan.status !== "unpaid") return null;
  return (
    <aside aria-label="Payment" className="border-b border-bad/40 bg-bad-soft text-sm text-bad">
      <div className="mx-auto flex w-full max-w-6xl flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-3 sm:px-8">
        <p>{portal.error ? portal.error.message : "Your last payment failed: you are on the free plan until your card is updated."}</p>
        <Button look="danger" pending={portal.isPending} onClick={() => portal.mutate("portal")}>
          {cardAction}
        </Button>
      </div>
    </aside>
  );
}
