/** What is captured: the page at a URL, or a document that is typed here. */

import { AreaField, TextField } from "../ui/form/field.tsx";
import { Segmented } from "../ui/form/segmented.tsx";
import type { Values } from "./parameters.ts";

export const sources = ["url", "html", "markdown"] as const;
export type Source = (typeof sources)[number];

const choices = [
  { value: "url", label: "Web page" },
  { value: "html", label: "HTML" },
  { value: "markdown", label: "Markdown" },
] as const;
const documents = {
  html: { label: "HTML document", placeholder: "<h1>Hello</h1>" },
  markdown: { label: "Markdown text", placeholder: "# Hello" },
};

interface SourceFieldProps {
  source: Source;
  values: Values;
  onChoose: (source: Source) => void;
  onChange: (name: string, value: string) => void;
}

export function SourceField({ source, values, onChoose, onChange }: SourceFieldProps) {
  const fieldFor = (name: string) => ({
    name,
    value: String(values[name] ?? ""),
    spellCheck: false,
    onChange: (event: { target: { value: string } }) => onChange(name, event.target.value),
  });
  const address = { inputMode: "url", autoCapitalize: "none", maxLength: 2048 } as const;
  return (
    <div className="grid gap-4">
      <Segmented label="Capture" choices={[...choices]} value={source} onChange={onChoose} />
      {source === "url" ? (
        <TextField label="URL" {...fieldFor("url")} {...address} required placeholder="https://example.com" />
      ) : (
        <>
          <AreaField {...documents[source]} {...fieldFor(source)} required rows={8} className="font-mono text-sm" />
          <TextField
            label="Base URL"
            {...fieldFor("base_url")}
            {...address}
            placeholder="https://example.com/"
            hint="For relative links and images; may be empty."
          />
        </>
      )}
    </div>
  );
}

/** The source that `values` specify: the URL unless there is a document. */
export function sourceOf(values: Values): Source {
  return sources.find((source) => source !== "url" && values[source] !== undefined) ?? "url";
}

/** The values without the members of other sources. */
export function ofSource(values: Values, source: Source): Values {
  const others = new Set<string>([...sources.filter((one) => one !== source), ...(source === "url" ? ["base_url"] : [])]);
  return Object.fromEntries(Object.entries(values).filter(([name]) => !others.has(name)));
}
