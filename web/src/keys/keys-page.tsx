/** The page with the account's keys. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { accountQuery, keysQuery } from "../api/queries.ts";
import { Button } from "../ui/button.tsx";
import { Empty, type ExampleRow, ExampleRows } from "../ui/empty.tsx";
import { counted } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { KeyTable } from "./key-table.tsx";
import { NewKey } from "./new-key.tsx";

const exampleKeys: ExampleRow[] = [
  { title: "Website", about: "ss_k3Xv…9QmB · *.example.com", badge: ["good", "Active"], time: "2 minutes ago" },
  { title: "Nightly report", about: "ss_T8aP…w2Lc · any website", badge: ["good", "Active"], time: "9 hours ago" },
];

export function KeysPage() {
  const keys = useSuspenseQuery(keysQuery).data;
  const { used, max } = useSuspenseQuery(accountQuery).data.keys;
  const [creating, setCreating] = useState(false);
  const current = keys.filter(({ state }) => state !== "revoked");
  const revoked = keys.filter(({ state }) => state === "revoked");
  const button = (
    <Button look="primary" onClick={() => setCreating(true)} disabled={used >= max}>
      <Icon name="plus" />
      Create key
    </Button>
  );
  return (
    <Page
      title="API keys"
      about={`Your plan includes ${counted(max, "key")}; ${used} in use.${keysNote(used, max)}`}
      actions={current.length > 0 && button}
    >
      {current.length === 0 ? (
        <Empty title="No API keys yet" action={button} example={revoked.length === 0 && <ExampleRows rows={exampleKeys} />}>
          Your websites and programs authenticate with an API key. Restrict a key to your website, so that other sites can't use it.
        </Empty>
      ) : (
        <KeyTable keys={current} />
      )}
      {revoked.length > 0 && (
        <details>
          <summary className="w-fit rounded text-sm font-medium text-muted hover:text-ink">
            {counted(revoked.length, "revoked key")}
          </summary>
          <div className="mt-4">
            <KeyTable keys={revoked} />
          </div>
        </details>
      )}
      {creating && <NewKey onClose={() => setCreating(false)} />}
    </Page>
  );
}

/** After a downgrade there may be more keys than the plan includes. */
function keysNote(used: number, max: number): string {
  if (used > max) return ` All of them keep working. To create another, revoke ${used - max + 1} first.`;
  return used === max ? " Revoke one to create another." : "";
}
