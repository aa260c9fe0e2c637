/** A key: rules, usage, signing secret and actions. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { keyQuery } from "../api/queries.ts";
import type { Key } from "../api/types.ts";
import { Ago } from "../ui/ago.tsx";
import { dateOf, timeOf } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { Fact, Facts, Page, Section } from "../ui/page.tsx";
import { UsageSection } from "../usage/usage-section.tsx";
import { KeyActions } from "./key-actions.tsx";
import { RulesForm } from "./rules-form.tsx";
import { SigningSecret } from "./signing-secret.tsx";
import { StateBadge } from "./state-badge.tsx";

export function KeyPage() {
  const { id } = useParams({ from: "/account/keys/$id" });
  const key = useSuspenseQuery(keyQuery(id)).data;
  return (
    <Page
      title={key.name}
      about={
        <span className="flex flex-wrap items-center gap-3">
          <code className="font-mono text-sm">{key.hint}</code>
          <StateBadge state={key.state} />
        </span>
      }
      actions={<KeyActions key={key.id} apiKey={key} as="buttons" />}
    >
      <StateNotice apiKey={key} />
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        {key.state !== "revoked" && (
          <Section title="Rules">
            <RulesForm key={key.id} current={key} />
          </Section>
        )}
        <div className="grid gap-6">
          <UsageSection key={key.id} keyId={key.id} />
          {key.require_signature && key.state !== "revoked" && (
            <Section title="Signed requests">
              <SigningSecret key={key.id} keyId={key.id} />
            </Section>
          )}
          <Section title="Details">
            <Facts>
              <Fact name="Last used">
                <Ago time={key.last_used_at} />
              </Fact>
              <Fact name="Created">{dateOf(key.created_at)}</Fact>
              <Fact name="Expires">{key.expires_at === null ? "never" : timeOf(key.expires_at)}</Fact>
            </Facts>
            <p className="mt-4 text-sm">
              <Link to="/screenshots" search={{ key_id: key.id }} className="text-accent underline underline-offset-4">
                Screenshots taken with this key
              </Link>
            </p>
          </Section>
        </div>
      </div>
    </Page>
  );
}

function StateNotice({ apiKey: { state, expires_at, replaced_by, revoked_at } }: { apiKey: Key }) {
  if (state === "revoked")
    return <Notice tone="bad">Revoked{revoked_at ? ` on ${timeOf(revoked_at)}` : ""}. A revoked key can't be restored.</Notice>;
  if (state === "expired")
    return <Notice tone="warn">Expired{expires_at ? ` on ${timeOf(expires_at)}` : ""}: requests with this key are rejected.</Notice>;
  if (state === "disabled") return <Notice tone="warn">Disabled: requests with this key are rejected until you enable it.</Notice>;
  if (state === "replaced" && replaced_by)
    return (
      <Notice tone="warn">
        Replaced by{" "}
        <Link to="/keys/$id" params={{ id: replaced_by }} className="underline underline-offset-4">
          a new key
        </Link>
        . This one works until {expires_at ? timeOf(expires_at) : "it is revoked"}.
      </Notice>
    );
  return null;
}
