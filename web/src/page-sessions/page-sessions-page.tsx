/** Sessions of pages that need a sign-in. */

import { useSuspenseInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { pageSessionsQuery } from "../api/page-session-queries.ts";
import { Button } from "../ui/button.tsx";
import { Empty, type ExampleRow, ExampleRows } from "../ui/empty.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { ShowMore } from "../ui/show-more.tsx";
import { SaveSession } from "./save-session.tsx";
import { SessionList } from "./session-list.tsx";

const exampleSessions: ExampleRow[] = [
  { title: "shop", about: "shop.example.com", badge: ["plain", "Version 4"], time: "2 minutes ago" },
  { title: "intranet", about: ".example.org", badge: ["plain", "Version 1"], time: "9 hours ago" },
];

export function PageSessionsPage() {
  const list = useSuspenseInfiniteQuery(pageSessionsQuery);
  const sessions = list.data.pages.flatMap((page) => page.sessions);
  const [saving, setSaving] = useState(false);
  const button = (
    <Button look="primary" onClick={() => setSaving(true)}>
      <Icon name="plus" />
      Create session
    </Button>
  );
  return (
    <Page
      title="Sessions"
      about="Saved sign-ins: captures with the option session see the pages behind them."
      actions={sessions.length > 0 && button}
    >
      {sessions.length === 0 ? (
        <Empty title="No sessions yet" action={button} example={<ExampleRows rows={exampleSessions} />}>
          A session holds the cookies and the storage of a browser that is signed in. Captures start with them, and see what you see.
        </Empty>
      ) : (
        <SessionList sessions={sessions} />
      )}
      <ShowMore list={list} />
      {saving && <SaveSession onClose={() => setSaving(false)} />}
    </Page>
  );
}
