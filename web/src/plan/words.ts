/** What a subscription's state means for the customer, and what to do about it. */

import type { Billing } from "../api/types.ts";
import { dateOf } from "../ui/format.ts";
import { moneyOf } from "./money.ts";

export type KnownSubscription = NonNullable<Billing["subscription"]>;

interface Words {
  tone: "good" | "warn" | "bad";
  /** One or two words. */
  label: string;
  text: string;
  /** Label of the button that leads to the provider; undefined if there is nothing to do there. */
  action?: string;
}

export const cardAction = "Update card";

/** In plain words: the current state, until when it lasts, and the one thing to do. */
export function wordsFor(of: KnownSubscription): Words {
  const plan = of.plan_name ?? "your";
  const manage = "Manage subscription";
  const end = of.ends_at ?? of.current_period_end;
  switch (of.status) {
    case "trialing":
      return of.cancel_at_period_end
        ? { tone: "warn", label: "Ending", text: `Your trial of ${plan} ends on ${day(end)}, and nothing will be charged.`, action: manage }
        : {
            tone: "good",
            label: "Trial",
            text: `Your trial ends on ${day(of.trial_ends_at)}. After that ${plan} costs ${costOf(of)}.`,
            action: manage,
          };
    case "active":
      return of.cancel_at_period_end
        ? { tone: "warn", label: "Ending", text: `${plan} ends on ${day(end)}; then you are on the free plan.`, action: manage }
        : { tone: "good", label: "Active", text: `Renews on ${day(of.current_period_end)} for ${costOf(of)}.`, action: manage };
    case "past_due":
    case "unpaid":
      return {
        tone: "bad",
        label: "Payment failed",
        text: `We couldn't charge your card, so you are on the free plan. Update your card to get ${plan} back.`,
        action: cardAction,
      };
    case "paused":
      return {
        tone: "warn",
        label: "Paused",
        text: `${plan} is paused ${of.resumes_at ? `until ${day(of.resumes_at)}` : "until you resume it"}. Until then you are on the free plan.`,
        action: "Resume",
      };
    case "incomplete":
    case "incomplete_expired":
      return { tone: "warn", label: "Not paid", text: "Your last payment was not completed. You can upgrade again." };
    case "canceled":
      return {
        tone: "warn",
        label: "Ended",
        text: `Your subscription to ${plan} has ended. You can upgrade again at any time.`,
        action: "Invoices",
      };
  }
}

/** Whether a plan can be bought in this state; if not, changes are made at the provider. */
export function canBuy(subscription: KnownSubscription | null): boolean {
  return subscription === null || ["canceled", "incomplete", "incomplete_expired"].includes(subscription.status);
}

const day = (time: string | null): string => (time === null ? "a later day" : dateOf(time));

function costOf({ amount, currency, period }: KnownSubscription): string {
  return amount === null || currency === null ? "the agreed price" : `${moneyOf(amount, currency)} a ${period ?? "period"}`;
}
