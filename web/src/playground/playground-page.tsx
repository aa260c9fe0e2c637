/** Takes screenshots with any option and shows the request as code. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { ApiError } from "../api/client.ts";
import { descriptionQuery } from "../api/queries.ts";
import { withScheme } from "../screenshots/address.ts";
import { isMotion } from "../screenshots/formats.ts";
import type { Search } from "../search.ts";
import { Button } from "../ui/button.tsx";
import { useDebounced } from "../ui/debounced.ts";
import { Form } from "../ui/form/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page, Section } from "../ui/page.tsx";
import { MainOptions } from "./main-options.tsx";
import { Options } from "./options.tsx";
import { OutputList } from "./output-list.tsx";
import { OutputPreviews } from "./output-previews.tsx";
import { capturesBody, outputFields, outputsOf, outputsText } from "./outputs.ts";
import { given, type OptionGroup, optionGroups, shareable, type Values, valuesOf } from "./parameters.ts";
import { Preview } from "./preview.tsx";
import { RequestCode } from "./request-code.tsx";
import { ofSource, SourceField, sourceOf, sources } from "./source-field.tsx";
import { readyText, useCapture } from "./use-capture.ts";

export function PlaygroundPage() {
  const document = useSuspenseQuery(descriptionQuery).data;
  const groups = useMemo(() => optionGroups(document), [document]);
  const search = useSearch({ strict: false }) as Search;
  const [values, setValues] = useState<Values>(() => valuesOf(search, groups));
  const [source, setSource] = useState(() => sourceOf(values));
  const options = withUrlScheme(ofSource(given(values, groups), source));
  const [outputs, setOutputs] = useState(() => outputsOf(search));
  const body = outputs.length > 1 || source !== "url" ? capturesBody(options, outputs, groups) : undefined;
  const inCode = source === "url" ? { url: "https://example.com" } : { [source]: "" };
  useAddress({ ...shareable(options, groups), ...outputsText(outputs) });

  const preview = useRef<HTMLElement>(null);
  const capture = useCapture();
  const taken = capture.data ?? {};
  const canceled = capture.error?.name === "AbortError";
  /** Errors that don't belong to a field are shown in place of the screenshot. */
  const atFields = capture.error instanceof ApiError && capture.error.details.length > 0;
  const set = (name: string, value: string | string[]) => setValues((before) => ({ ...before, [name]: value }));
  const button = useRef<HTMLButtonElement>(null);
  useSubmitKey(button);

  return (
    <Page
      wide
      title="Playground"
      about="Takes screenshots without an API key. They count towards your monthly quota unless they come from the cache."
    >
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <Section>
          <Form
            noValidate
            fields={[...sources, "base_url", ...groups.flatMap((group) => group.options.map(({ name }) => name)), ...outputFields(outputs)]}
            pending={capture.isPending}
            error={atFields ? capture.error : null}
            onSubmit={() => {
              preview.current?.scrollIntoView({ block: "nearest" });
              capture.mutate({ options, body });
            }}
          >
            <SourceField source={source} values={values} onChoose={setSource} onChange={set} />
            <div className="flex flex-wrap gap-3">
              <Button ref={button} type="submit" look="primary" pending={capture.isPending} className="min-w-44">
                <Icon name="playground" />
                {capture.isPending ? "Capturing…" : outputs.length > 1 ? "Take screenshots" : "Take screenshot"}
              </Button>
              {capture.isPending ? (
                <Button onClick={capture.cancel}>Cancel</Button>
              ) : (
                <p className="self-center text-sm text-muted max-sm:hidden">
                  <kbd className="font-mono text-xs">Ctrl</kbd> + <kbd className="font-mono text-xs">Enter</kbd>
                </p>
              )}
            </div>
            <MainOptions groups={groups} values={values} onChange={set} />
            <Options groups={groups} values={values} options={options} onChange={set} />
            <OutputList groups={groups} outputs={outputs} onChange={setOutputs} />
          </Form>
        </Section>
        <div className="grid min-w-0 gap-6 lg:sticky lg:top-8">
          <Section title={taken.capture ? "Screenshots" : "Screenshot"} ref={preview}>
            {taken.capture ? (
              <OutputPreviews capture={taken.capture} />
            ) : (
              <Preview
                screenshot={taken.screenshot}
                pending={capture.isPending}
                recordingLimit={recordingLimit(capture.variables?.options ?? {}, groups)}
                note={canceled ? "Canceled." : atFields ? "Not captured: correct the marked options." : undefined}
                options={options}
                error={canceled || atFields ? null : capture.error}
              />
            )}
            <p role="status" className="sr-only">
              {capture.isPending ? "Capturing" : capture.error ? "" : readyText(taken)}
            </p>
          </Section>
          <Section title="Code">
            <RequestCode options={{ ...inCode, ...options }} body={body && { ...inCode, ...body }} />
          </Section>
        </div>
      </div>
    </Page>
  );
}

/** Seconds that the capture may take if it is a recording: its `timeout`, by default and at most the service's. */
function recordingLimit({ format, timeout }: Values, groups: OptionGroup[]): number | undefined {
  if (!isMotion(String(format))) return undefined;
  const most = Number(groups.flatMap(({ options }) => options).find(({ name }) => name === "timeout")?.fallback);
  return Math.min(most, timeout === undefined ? most : Number(timeout));
}

/** Ctrl+Enter or Cmd+Enter clicks the button, wherever the focus is. */
function useSubmitKey(button: RefObject<HTMLButtonElement | null>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      button.current?.click();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [button]);
}

/** The API requires the scheme, which people leave out. */
function withUrlScheme(options: Values): Values {
  return typeof options.url === "string" ? { ...options, url: withScheme(options.url) } : options;
}

/** Keeps the options in the page's URL, so that they can be shared. Debounced, because browsers limit how often the URL may change. */
function useAddress(options: Values): void {
  const navigate = useNavigate({ from: "/playground" });
  const text = useDebounced(JSON.stringify(options));
  useEffect(() => {
    void navigate({ search: JSON.parse(text) as never, replace: true, resetScroll: false });
  }, [navigate, text]);
}
