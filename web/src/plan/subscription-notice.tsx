/** The account's subscription in plain words, with the one thing to do. */

import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { useProviderPage } from "./use-provider-page.ts";
import { type KnownSubscription, wordsFor } from "./words.ts";

export function SubscriptionNotice({ subscription, isManual }: { subscription: KnownSubscription; isManual: boolean }) {
  const portal = useProviderPage();
  const { tone, label, text, action } = wordsFor(subscription);
  return (
    <Section title="Subscription" aside={<Badge tone={tone}>{label}</Badge>}>
      <div className="grid gap-4">
        <p className="max-w-2xl">{text}</p>
        {isManual && (
          <p className="max-w-2xl text-sm text-muted">Your current plan was set by the operator, regardless of your subscription.</p>
        )}
        {portal.error && <Notice tone="bad">{portal.error.message}</Notice>}
        {action && (
          <div>
            <Button look={tone === "bad" ? "primary" : "plain"} pending={portal.isPending} onClick={() => portal.mutate("portal")}>
              {action}
            </Button>
          </div>
        )}
      </div>
    </Section>
  );
}
