/** The target, its response, the copies and the warnings of a capture. */

import type { StoredScreenshot } from "../api/screenshot-queries.ts";
import { Badge } from "../ui/badge.tsx";
import { Fact } from "../ui/page.tsx";
import { Prose } from "../ui/prose.tsx";
import { documentOf } from "./options.ts";

const copyTones = { pending: "plain", delivered: "good", failed: "bad" } as const;

export function TargetFacts({ screenshot }: { screenshot: StoredScreenshot }) {
  const { url, final_url, target_status, warnings, copies } = screenshot;
  const document = documentOf(screenshot.options);
  return (
    <>
      {document && (
        <Fact name="Document">
          <span className="break-all">{document}</span>
        </Fact>
      )}
      <Fact name={document ? "Base URL" : "URL"}>
        <a href={url} target="_blank" rel="noreferrer" className="text-accent underline underline-offset-4">
          {url}
        </a>
      </Fact>
      {final_url !== null && URL.parse(url)?.href !== final_url && <Fact name="Final URL">{final_url}</Fact>}
      {target_status !== null && (
        <Fact name="Target status">
          <Badge tone={target_status < 400 ? "good" : "warn"}>{target_status}</Badge>
        </Fact>
      )}
      {copies.map(({ destination, state, key, error }) => (
        <Fact key={destination} name="Copy">
          {destination} <Badge tone={copyTones[state]}>{state}</Badge>
          {key !== null && <span className="block font-mono text-[0.8125rem] break-all">{key}</span>}
          {error !== null && <span className="block wrap-anywhere text-muted">{error}</span>}
        </Fact>
      ))}
      {warnings.length > 0 && (
        <Fact name={warnings.length === 1 ? "Warning" : "Warnings"}>
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>
                <Prose text={warning} />
              </li>
            ))}
          </ul>
        </Fact>
      )}
    </>
  );
}
