/** A run of a watch: what it compared, what differs, and what to do about it. */

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { runQuery, watchQuery } from "../../api/watch-queries.ts";
import { Ago } from "../../ui/ago.tsx";
import { ButtonLink, buttonClass } from "../../ui/button.tsx";
import { timeOf } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { sideOf } from "../comparison/sides.ts";
import { ComparisonView } from "../comparison/view.tsx";
import { RunBadge } from "../status-badge.tsx";
import { shareOf } from "../words.ts";
import { Accept } from "./accept.tsx";
import { RunImage } from "./image.tsx";
import { RegionList } from "./region-list.tsx";

export function RunPage() {
  const { id, run: runId } = useParams({ from: "/account/watches/$id/runs/$run" });
  const watch = useSuspenseQuery(watchQuery(id)).data;
  const run = useSuspenseQuery(runQuery(id, runId)).data;
  const comparedId = run.compared_with_run_id;
  const compared = useQuery({ ...runQuery(id, comparedId ?? ""), enabled: comparedId !== null }).data;
  const [selected, select] = useState<number>();
  const [before, after] = [compared && sideOf("before", compared), sideOf("after", run)];
  return (
    <Page
      wide
      title={watch.name}
      about={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <RunBadge run={run} />
          <span>
            {timeOf(run.created_at)}, <Ago time={run.created_at} />
          </span>
          {run.changed_share !== null && run.changed_share > 0 && <span className="tabular">{shareOf(run.changed_share)}</span>}
        </span>
      }
      actions={
        <>
          <ButtonLink to="/watches/$id" params={{ id }}>
            <Icon name="previous" />
            All runs
          </ButtonLink>
          {run.difference_link && (
            <a href={run.difference_link} target="_blank" rel="noreferrer" className={buttonClass}>
              <Icon name="open" />
              Marked image
            </a>
          )}
          {run.reported && watch.webhook_url !== null && (
            <ButtonLink to="/webhooks/$id" params={{ id: run.id }}>
              <Icon name="webhooks" />
              Delivery
            </ButtonLink>
          )}
          {run.screenshot && run.id !== watch.accepted_run_id && run.status !== "queued" && <Accept watchId={id} runId={run.id} />}
        </>
      }
    >
      {run.error && <Notice tone="bad">{run.error.message}</Notice>}
      {compared && run.screenshot && !compared.screenshot && (
        <Notice tone="warn">The image it was compared with has been deleted after its retention period.</Notice>
      )}
      <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-[minmax(0,3fr)_minmax(20rem,1fr)]">
        {before && after ? (
          <ComparisonView before={before} after={after} regions={run.regions} selected={selected} />
        ) : (
          <RunImage run={run} side={after} selected={selected} />
        )}
        {comparedId !== null && (
          <div className="grid gap-4">
            <RegionList watch={watch} regions={run.regions} selected={selected} onSelect={select} />
            <p className="text-sm text-muted">
              Compared with{" "}
              <Link to="/watches/$id/runs/$run" params={{ id, run: comparedId }} className="text-accent underline underline-offset-4">
                the accepted run
              </Link>
              {compared && ` of ${timeOf(compared.created_at)}`}.
            </p>
          </div>
        )}
      </div>
    </Page>
  );
}
