/** Creates a batch from a list of URLs, from the pages of a sitemap, or by following the links of a site. */

import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { call } from "../../api/client.ts";
import { descriptionQuery } from "../../api/queries.ts";
import { refresh } from "../../api/refresh.ts";
import { FormatField } from "../../playground/format-field.tsx";
import { optionGroups } from "../../playground/parameters.ts";
import { defaultFormat } from "../../screenshots/formats.ts";
import { announce } from "../../shell/announcer.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { AreaField, CheckField, TextField } from "../../ui/form/field.tsx";
import { Form } from "../../ui/form/form.tsx";
import { Segmented } from "../../ui/form/segmented.tsx";
import { counted } from "../../ui/format.ts";
import { Page, Section } from "../../ui/page.tsx";
import { bodyOf, type Draft, draftFields, inLines, linesOf } from "./request.ts";
import { LimitField, SiteFields } from "./site-fields.tsx";

const sources = [
  { value: "list", label: "List of URLs" },
  { value: "sitemap", label: "Sitemap" },
  { value: "site", label: "Site" },
] as const;

const emptyDraft: Draft = {
  ...{ source: "list", captures: "", sitemap_url: "", limit: "", format: defaultFormat, full_page: false },
  ...{ url: "", depth: "", include: "", exclude: "" },
};

const aboutOf = (source: Draft["source"]) =>
  `Each page counts as one screenshot of your quota, reserved ${source === "site" ? "as pages are found" : "for the whole batch when you create it"}.`;

export function NewBatchPage() {
  const document = useSuspenseQuery(descriptionQuery).data;
  const groups = useMemo(() => optionGroups(document), [document]);
  const [draft, setDraft] = useState(emptyDraft);
  const set = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: async () => {
      try {
        return await call<{ id: string; total: number }>("/v1/account/batches", { method: "POST", body: bodyOf(draft) });
      } catch (error) {
        throw inLines(error, draft);
      }
    },
    onSuccess: async ({ id, total }) => {
      announce(`Batch of ${counted(total, "capture")} created`);
      await refresh(queries, "batches");
      await navigate({ to: "/batches/$id", params: { id } });
    },
  });
  return (
    <Page title="Create batch" about={aboutOf(draft.source)}>
      <Section className="max-w-3xl">
        <Form fields={draftFields} pending={create.isPending} error={create.error} onSubmit={() => create.mutate()}>
          <Segmented label="Pages" choices={[...sources]} value={draft.source} onChange={(source) => set({ source })} />
          <PagesFields draft={draft} onChange={set} />
          <div className="grid gap-4 sm:max-w-xs">
            <FormatField groups={groups} name="format" value={draft.format} onChange={({ target }) => set({ format: target.value })} />
          </div>
          <CheckField
            label="Full page"
            name="full_page"
            hint="Not only the part visible without scrolling."
            checked={draft.full_page}
            onChange={({ target }) => set({ full_page: target.checked })}
          />
          <div className="flex flex-wrap gap-3">
            <Button type="submit" look="primary" pending={create.isPending}>
              {create.isPending ? (pendingLabels[draft.source] ?? "Create batch") : "Create batch"}
            </Button>
            <ButtonLink to="/batches">Cancel</ButtonLink>
          </div>
        </Form>
      </Section>
    </Page>
  );
}

const pendingLabels: Partial<Record<Draft["source"], string>> = { sitemap: "Reading the sitemap…", site: "Reading robots.txt…" };

function PagesFields({ draft, onChange }: { draft: Draft; onChange: (part: Partial<Draft>) => void }) {
  if (draft.source === "list") {
    const { length } = linesOf(draft);
    return (
      <AreaField
        label="URLs"
        name="captures"
        value={draft.captures}
        onChange={({ target }) => onChange({ captures: target.value })}
        hint={length === 0 ? "One per line, at most 1,000. Lines that begin with # are ignored." : `${counted(length, "page")}.`}
        placeholder={"https://example.com\nhttps://example.com/pricing"}
        rows={10}
        required
        spellCheck={false}
        className="font-mono text-sm"
      />
    );
  }
  if (draft.source === "site") return <SiteFields draft={draft} onChange={onChange} />;
  return (
    <div className="grid items-start gap-4 sm:grid-cols-[minmax(0,1fr)_9rem]">
      <TextField
        label="Sitemap"
        name="sitemap_url"
        value={draft.sitemap_url}
        onChange={({ target }) => onChange({ sitemap_url: target.value })}
        inputMode="url"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={2048}
        placeholder="https://example.com/sitemap.xml"
        required
      />
      <LimitField name="limit" placeholder="1000" value={draft.limit} onChange={onChange} />
    </div>
  );
}
