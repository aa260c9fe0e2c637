/** A screenshot: its image, details and options. */

import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../api/client.ts";
import { descriptionQuery } from "../api/queries.ts";
import { screenshotQuery } from "../api/screenshot-queries.ts";
import type { HistoryEntry } from "../api/types.ts";
import { optionGroups, pairsOf } from "../playground/parameters.ts";
import { announce } from "../shell/announcer.tsx";
import { Button, ButtonLink, buttonClass } from "../ui/button.tsx";
import { CopyAction } from "../ui/copy.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { bytesOf, count, dateOf, durationOf, timeOf } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { Notice } from "../ui/notice.tsx";
import { Fact, Facts, Page, Section } from "../ui/page.tsx";
import { shortAddress } from "./address.ts";
import { Explanation } from "./explanation.tsx";
import { Neighbours } from "./neighbours.tsx";
import { again, chosen, documentOf } from "./options.ts";
import { StatusBadge } from "./status-badge.tsx";
import { TargetFacts } from "./target-facts.tsx";
import { verdictNames } from "./verdict.tsx";

export function ScreenshotPage() {
  const { id } = useParams({ from: "/account/screenshots/$id" });
  const filter = useSearch({ from: "/account/screenshots/$id" });
  const screenshot = useSuspenseQuery({
    ...screenshotQuery(id, filter),
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? 1_000 : false),
  }).data;
  const { url, status, image, link } = screenshot;
  const groups = optionGroups(useSuspenseQuery(descriptionQuery).data);
  const options = chosen(screenshot.options, groups);
  return (
    <Page
      title={screenshot.title ?? shortAddress(url)}
      about={
        <span className="flex flex-wrap items-center gap-3">
          <StatusBadge screenshot={screenshot} /> {screenshot.title && shortAddress(url)}
        </span>
      }
      actions={
        <>
          <Neighbours newer={screenshot.newer_id} older={screenshot.older_id} filter={filter} />
          {image && (
            <a href={`${image}?download=1`} className={buttonClass}>
              <Icon name="download" />
              Download
            </a>
          )}
          {link && <CopyAction label="Copy link" icon="link" copy={async () => await navigator.clipboard.writeText(link)} />}
          {!documentOf(screenshot.options) && (
            <ButtonLink to="/playground" search={again(url, options, groups) as never}>
              <Icon name="playground" />
              Open in the playground
            </ButtonLink>
          )}
          {status !== "pending" && <Delete id={id} />}
        </>
      }
    >
      {screenshot.verdict && verdictNames[screenshot.verdict] && <Notice tone="warn">{screenshot.verdict_reason}</Notice>}
      {screenshot.error_message && (
        <Notice tone="bad">
          {screenshot.error_message} <code className="font-mono">{screenshot.error}</code>
        </Notice>
      )}
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <ScreenshotImage screenshot={screenshot} />
        <div className="grid gap-6">
          <Section title="Details">
            <Facts>
              <TargetFacts screenshot={screenshot} />
              <Fact name="Taken">{timeOf(screenshot.created_at)}</Fact>
              <Fact name="Kept until">{dateOf(screenshot.expires_at)}</Fact>
              <Fact name="Taken with">
                {screenshot.key_id === null ? (
                  "Playground"
                ) : (
                  <Link to="/keys/$id" params={{ id: screenshot.key_id }} className="text-accent underline underline-offset-4">
                    {screenshot.key_name ?? screenshot.key_hint ?? "a key"}
                  </Link>
                )}
              </Fact>
              {screenshot.width !== null && screenshot.height !== null && (
                <Fact name="Size">
                  {count(screenshot.width)} × {count(screenshot.height)} pixels
                </Fact>
              )}
              {screenshot.bytes !== null && (
                <Fact name="File">
                  {bytesOf(screenshot.bytes)} {screenshot.format}
                </Fact>
              )}
              {screenshot.duration_ms !== null && <Fact name="Duration">{durationOf(screenshot.duration_ms)}</Fact>}
            </Facts>
          </Section>
          <Section title="Options">
            {Object.keys(options).length === 0 ? (
              <p className="text-sm text-muted">All options at their defaults.</p>
            ) : (
              <Facts>
                {pairsOf(options).map(([name, text]) => (
                  <Fact key={`${name} ${text}`} name={name}>
                    <span className="font-mono text-[0.8125rem]">{text}</span>
                  </Fact>
                ))}
              </Facts>
            )}
          </Section>
        </div>
      </div>
      {screenshot.explanation && <Explanation explanation={screenshot.explanation} />}
    </Page>
  );
}

function ScreenshotImage({ screenshot: { image, url, width, height, status } }: { screenshot: HistoryEntry }) {
  if (image)
    return (
      <a href={image} className="block overflow-hidden rounded-2xl border border-line bg-sunken">
        <img
          src={image}
          alt={`Screenshot of ${url}`}
          width={width ?? undefined}
          height={height ?? undefined}
          className="checkered h-auto w-full"
        />
      </a>
    );
  return (
    <div className="grid aspect-16/10 place-items-center rounded-2xl border border-dashed border-edge/60 p-6 text-center text-muted">
      {status === "pending"
        ? "Pending"
        : status === "failed"
          ? "No image: the capture failed."
          : "The image was delivered, but could not be stored."}
    </div>
  );
}

function Delete({ id }: { id: string }) {
  const [confirming, setConfirming] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => call(`/v1/account/screenshots/${id}`, { method: "DELETE" }),
    onSuccess: async () => {
      announce("Screenshot deleted");
      await navigate({ to: "/screenshots" });
      queries.removeQueries({ queryKey: ["screenshots", id] });
      await queries.invalidateQueries({ queryKey: ["screenshots"] });
    },
  });
  return (
    <>
      <Button look="danger" onClick={() => setConfirming(true)}>
        Delete
      </Button>
      {confirming && (
        <Confirm
          title="Delete this screenshot?"
          action="Delete"
          pending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setConfirming(false)}
        >
          <p>The image and its record are permanently deleted. It still counts towards your monthly quota.</p>
        </Confirm>
      )}
    </>
  );
}
