/** A screenshot: its image or document, details and options. */

import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { descriptionQuery } from "../api/queries.ts";
import { type StoredScreenshot, screenshotQuery } from "../api/screenshot-queries.ts";
import { optionGroups, pairsOf } from "../playground/parameters.ts";
import { ButtonLink, buttonClass } from "../ui/button.tsx";
import { CopyAction } from "../ui/copy.tsx";
import { DeleteMenu } from "../ui/delete-menu.tsx";
import { bytesOf, dateOf, timeOf } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { menuItem } from "../ui/menu.tsx";
import { Notice } from "../ui/notice.tsx";
import { Fact, Facts, Page, Section } from "../ui/page.tsx";
import { shortAddress } from "./address.ts";
import { Explanation } from "./explanation.tsx";
import { defaultFormat, nameOf, nounOf } from "./formats.ts";
import { Neighbors } from "./neighbors.tsx";
import { again, chosen, documentOf } from "./options.ts";
import { OutputStrip } from "./output-strip.tsx";
import { ScreenshotFile } from "./screenshot-file.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { TargetFacts } from "./target-facts.tsx";
import { Timing } from "./timing.tsx";
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
  const format = screenshot.format ?? String(options.format ?? defaultFormat);
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
          <Neighbors newer={screenshot.newer_id} older={screenshot.older_id} filter={filter} />
          {image && format === "pdf" && (
            <a href={image} target="_blank" rel="noreferrer" className={buttonClass}>
              <Icon name="open" />
              Open
            </a>
          )}
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
          {status !== "pending" && (
            <More id={id} noun={nounOf(format)}>
              {!documentOf(screenshot.options) && (
                <Link to="/watches/new" search={{ from: id }} className={menuItem}>
                  <Icon name="watches" />
                  Watch this page
                </Link>
              )}
            </More>
          )}
        </>
      }
    >
      {screenshot.verdict && verdictNames[screenshot.verdict] && <Notice tone="warn">{screenshot.verdict_reason}</Notice>}
      {screenshot.error_message && (
        <Notice tone="bad">
          {screenshot.error_message} <code className="font-mono">{screenshot.error}</code>
        </Notice>
      )}
      {screenshot.outputs.length > 1 && <OutputStrip outputs={screenshot.outputs} shown={id} filter={filter} />}
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <ScreenshotFile screenshot={screenshot} format={format} />
        <div className="grid gap-6">
          <Section title="Details">
            <Facts>
              <TargetFacts screenshot={screenshot} />
              {screenshot.output !== null && <Fact name="Output">{screenshot.output}</Fact>}
              <Fact name="Taken">{timeOf(screenshot.created_at)}</Fact>
              <Fact name="Kept until">{isOfWatch(screenshot) ? "its watch no longer needs it" : dateOf(screenshot.expires_at)}</Fact>
              <Fact name="Key">
                {screenshot.key_id === null ? (
                  "none (playground)"
                ) : (
                  <Link to="/keys/$id" params={{ id: screenshot.key_id }} className="text-accent underline underline-offset-4">
                    {screenshot.key_name ?? screenshot.key_hint ?? "a key"}
                  </Link>
                )}
              </Fact>
              {screenshot.width !== null && screenshot.height !== null && (
                <Fact name="Size">
                  {screenshot.width} × {screenshot.height} pixels
                </Fact>
              )}
              {screenshot.bytes !== null && (
                <Fact name="File">
                  {bytesOf(screenshot.bytes)} {nameOf(format)}
                </Fact>
              )}
            </Facts>
          </Section>
          <Timing screenshot={screenshot} />
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

/** Whether the record belongs to a run: it never expires by itself, because the watch deletes it. */
function isOfWatch({ expires_at }: StoredScreenshot): boolean {
  return expires_at.startsWith("9999-");
}

function More({ id, noun, children }: { id: string; noun: string; children: ReactNode }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const leave = async () => {
    await navigate({ to: "/screenshots" });
    queries.removeQueries({ queryKey: ["screenshots", id] });
    await queries.invalidateQueries({ queryKey: ["screenshots"] });
  };
  return (
    <DeleteMenu
      noun="screenshot"
      path={`/v1/account/screenshots/${id}`}
      onDeleted={leave}
      warning={`The ${noun} and its record will be permanently deleted. It still counts towards your monthly quota.`}
    >
      {children}
    </DeleteMenu>
  );
}
