/** Creates a watch, for a URL or for a screenshot's page. */

import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { descriptionQuery } from "../../api/queries.ts";
import { refresh } from "../../api/refresh.ts";
import { screenshotQuery } from "../../api/screenshot-queries.ts";
import type { Watch } from "../../api/types.ts";
import { watchesPath } from "../../api/watch-queries.ts";
import { announce } from "../../shell/announcer.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Form } from "../../ui/form/form.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Fact, Facts, Page, Section } from "../../ui/page.tsx";
import { bodyOf, draftFields, newDraft } from "./draft.ts";
import { WatchFields } from "./fields.tsx";
import { type Start, showsPart, startFrom } from "./start.ts";

export function NewWatchPage() {
  const { from } = useSearch({ from: "/account/watches/new" });
  const document = useSuspenseQuery(descriptionQuery).data;
  // Already loaded by the route.
  const screenshot = useQuery({ ...screenshotQuery(from ?? "", {}), enabled: from !== undefined }).data;
  const [start] = useState<Start>(() => (screenshot ? startFrom(screenshot, document) : { draft: newDraft(), options: {}, missing: [] }));
  const [draft, setDraft] = useState(start.draft);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const isPart = showsPart(start.options);
  const create = useMutation({
    mutationFn: () => {
      const { full_page, name, webhook_url, ...body } = bodyOf(draft);
      const given = { ...(isPart ? {} : { full_page }), ...(name ? { name } : {}), ...(webhook_url ? { webhook_url } : {}) };
      return call<Watch>(watchesPath, { method: "POST", body: { ...start.options, ...body, ...given } });
    },
    onSuccess: async ({ id }) => {
      announce("Watch created");
      await refresh(queries, "watches");
      await navigate({ to: "/watches/$id", params: { id } });
    },
  });
  return (
    <Page title="Create watch" about="Each run costs one screenshot of your quota.">
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <Section>
          <Form fields={draftFields} pending={create.isPending} error={create.error} onSubmit={() => create.mutate()}>
            <WatchFields draft={draft} onChange={setDraft} isPart={isPart} />
            <div className="flex flex-wrap gap-3">
              <Button type="submit" look="primary" pending={create.isPending}>
                Create watch
              </Button>
              <ButtonLink to="/watches">Cancel</ButtonLink>
            </div>
          </Form>
        </Section>
        {screenshot && <Taken start={start} />}
      </div>
    </Page>
  );
}

function Taken({ start: { options, missing } }: { start: Start }) {
  const names = Object.keys(options);
  return (
    <Section title="Options of the screenshot">
      <div className="grid gap-4">
        {missing.length > 0 && (
          <Notice tone="warn">{missing.join(", ")}: secret options are not stored. Create this watch with the API to send them.</Notice>
        )}
        {names.length === 0 ? (
          <p className="text-sm text-muted">All others are at their defaults.</p>
        ) : (
          <Facts>
            {names.map((name) => (
              <Fact key={name} name={name}>
                <span className="font-mono text-[0.8125rem]">{[options[name]].flat().join(", ")}</span>
              </Fact>
            ))}
          </Facts>
        )}
      </div>
    </Section>
  );
}
