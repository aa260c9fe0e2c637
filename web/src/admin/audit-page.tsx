/** Administration: the audit log of all accounts. */

import { useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { adminAuditQuery } from "../api/audit-queries.ts";
import type { AdminAuditEntry } from "../api/types.ts";
import { AuditFilters } from "../audit/audit-filters.tsx";
import { AuditList } from "../audit/audit-list.tsx";
import { byNames } from "../audit/words.ts";
import { Button } from "../ui/button.tsx";
import { Page } from "../ui/page.tsx";
import { ShowMore } from "../ui/show-more.tsx";

export function AdminAuditPage() {
  const filter = useSearch({ from: "/account/admin/admin/activity" });
  const navigate = useNavigate({ from: "/admin/activity" });
  const list = useSuspenseInfiniteQuery(adminAuditQuery(filter));
  const entries = list.data.pages.flatMap((page) => page.entries);
  const set = (changed: object) => void navigate({ search: (before) => ({ ...before, ...changed }), replace: true, resetScroll: false });
  return (
    <Page
      title="Activity"
      about="Changes to accounts, keys, plans, invitations and sign-in. They are kept for a year."
      actions={filter.user_id !== undefined && <Button onClick={() => set({ user_id: undefined })}>Show all accounts</Button>}
    >
      <AuditFilters
        filter={filter}
        kinds={["account", "sign_in", "key", "plan", "invitation"]}
        onChange={(name, value) => set({ [name]: value || undefined })}
      />
      {entries.length === 0 ? (
        <p className="text-muted">No matching activity.</p>
      ) : (
        <AuditList entries={entries} people={(entry) => <People entry={entry} />} />
      )}
      <ShowMore list={list} />
    </Page>
  );
}

function People({ entry: { by, actor_id, actor_email, account_id, account_email } }: { entry: AdminAuditEntry }) {
  const actor = actor_id === null ? byNames[by] : (actor_email ?? "a deleted account");
  return (
    <>
      <span className="block">{actor}</span>
      {account_id !== null && account_id !== actor_id && (
        <span className="block text-muted">
          on{" "}
          {account_email === null ? (
            "a deleted account"
          ) : (
            <Link to="/admin/users/$id" params={{ id: account_id }} className="text-accent underline underline-offset-4">
              {account_email}
            </Link>
          )}
        </span>
      )}
    </>
  );
}
