/** The account's audit log. */

import { useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { auditQuery } from "../api/audit-queries.ts";
import { AuditFilters } from "../audit/audit-filters.tsx";
import { AuditList } from "../audit/audit-list.tsx";
import { byNames } from "../audit/words.ts";
import { Page } from "../ui/page.tsx";
import { ShowMore } from "../ui/show-more.tsx";

export function ActivityPage() {
  const filter = useSearch({ from: "/account/settings/activity" });
  const navigate = useNavigate({ from: "/settings/activity" });
  const list = useSuspenseInfiniteQuery(auditQuery(filter));
  const entries = list.data.pages.flatMap((page) => page.entries);
  return (
    <Page title="Activity" about="Changes to your account, its keys, plan and sign-in. They are kept for a year.">
      <AuditFilters
        filter={filter}
        kinds={["account", "sign_in", "key", "plan", "webhook"]}
        onChange={(name, value) =>
          void navigate({ search: (before) => ({ ...before, [name]: value || undefined }), replace: true, resetScroll: false })
        }
      />
      {entries.length === 0 ? (
        <p className="text-muted">No matching activity.</p>
      ) : (
        <AuditList entries={entries} people={({ by }) => byNames[by]} />
      )}
      <ShowMore list={list} />
    </Page>
  );
}
