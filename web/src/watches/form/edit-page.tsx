/** Changes a watch. */

import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { refresh } from "../../api/refresh.ts";
import type { Watch } from "../../api/types.ts";
import { watchesPath, watchQuery } from "../../api/watch-queries.ts";
import { announce } from "../../shell/announcer.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Form } from "../../ui/form/form.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { changesOf, draftFields, draftOf } from "./draft.ts";
import { WatchFields } from "./fields.tsx";
import { showsPart } from "./start.ts";

/** Changes to these make a watch start over. */
const ofThePage = ["url", "full_page", "time_zone"];

export function EditWatchPage() {
  const { id } = useParams({ from: "/account/watches/$id/edit" });
  const watch = useSuspenseQuery(watchQuery(id)).data;
  const [before] = useState(() => draftOf(watch));
  const [draft, setDraft] = useState(before);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const changes = changesOf(before, draft);
  const beginsAgain = ofThePage.some((name) => Object.hasOwn(changes, name));
  const save = useMutation({
    mutationFn: () => call<Watch>(`${watchesPath}/${id}`, { method: "PATCH", body: changes }),
    onSuccess: async () => {
      announce("Watch saved");
      await refresh(queries, "watches");
      await navigate({ to: "/watches/$id", params: { id } });
    },
  });
  return (
    <Page title={`Edit ${watch.name}`}>
      <Section className="max-w-3xl">
        <Form fields={draftFields} pending={save.isPending} error={save.error} onSubmit={() => save.mutate()}>
          <WatchFields draft={draft} onChange={setDraft} isPart={showsPart(watch.options)} />
          {beginsAgain && (
            <Notice tone="warn">This changes what is captured: the next run becomes the baseline, and the watch learns again.</Notice>
          )}
          <div className="flex flex-wrap gap-3">
            <Button type="submit" look="primary" pending={save.isPending} disabled={Object.keys(changes).length === 0}>
              Save
            </Button>
            <ButtonLink to="/watches/$id" params={{ id }}>
              Cancel
            </ButtonLink>
          </div>
        </Form>
      </Section>
    </Page>
  );
}
