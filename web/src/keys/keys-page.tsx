/** The account's keys. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { accountQuery, keysQuery } from "../api/queries.ts";
import type { Key } from "../api/types.ts";
import { Ago } from "../ui/ago.tsx";
import { Button } from "../ui/button.tsx";
import { counted } from "../ui/format.ts";
import { Page } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { NewKey } from "./new-key.tsx";
import { StateBadge } from "./state-badge.tsx";

export function KeysPage() {
  const keys = useSuspenseQuery(keysQuery).data;
  const { used, max } = useSuspenseQuery(accountQuery).data.keys;
  const [creating, setCreating] = useState(false);
  const current = keys.filter(({ state }) => state !== "revoked");
  const revoked = keys.filter(({ state }) => state === "revoked");
  const button = (
    <Button look="primary" onClick={() => setCreating(true)} disabled={used >= max}>
      New key
    </Button>
  );
  return (
    <Page
      title="API keys"
      about={`Your plan includes ${counted(max, "key")}; ${used} in use.${used >= max ? " Revoke one to create another." : ""}`}
      actions={current.length > 0 && button}
    >
      {current.length === 0 ? (
        <Empty title="No API keys yet" action={button}>
          Your websites and programs authenticate with an API key. Restrict a key to your website, so that other sites can't use it.
        </Empty>
      ) : (
        <KeyList keys={current} />
      )}
      {revoked.length > 0 && (
        <details>
          <summary className="w-fit rounded text-sm font-medium text-muted hover:text-ink">
            {counted(revoked.length, "revoked key")}
          </summary>
          <div className="mt-4">
            <KeyList keys={revoked} />
          </div>
        </details>
      )}
      {creating && <NewKey onClose={() => setCreating(false)} />}
    </Page>
  );
}

function KeyList({ keys }: { keys: Key[] }) {
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-2xl border border-line bg-surface">
      {keys.map((key) => (
        <li
          key={key.id}
          className="relative grid gap-x-6 gap-y-1 px-5 py-4 hover:bg-sunken sm:grid-cols-[minmax(0,2fr)_minmax(0,2fr)_8rem_8rem] sm:items-center"
        >
          <div className="min-w-0">
            <Link
              to="/keys/$id"
              params={{ id: key.id }}
              className="block truncate font-medium after:absolute after:inset-0 after:-outline-offset-2"
            >
              {key.name}
            </Link>
            <code className="font-mono text-[0.8125rem] text-muted">{key.hint}</code>
          </div>
          <p className="truncate text-sm text-muted">{allowedWebsites(key)}</p>
          <p className="text-sm text-muted">
            {key.last_used_at && <span className="sm:hidden">Last used </span>}
            <Ago time={key.last_used_at} never="never used" />
          </p>
          <div className="sm:text-right">
            <StateBadge state={key.state} />
          </div>
        </li>
      ))}
    </ul>
  );
}

function allowedWebsites({ allowed_domains: [first, ...others] }: Key): string {
  if (first === undefined) return "Any website";
  return others.length === 0 ? first : `${first} and ${counted(others.length, "other")}`;
}
