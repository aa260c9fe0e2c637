/** The target, its response, and the warnings of a capture. */

import type { StoredScreenshot } from "../api/screenshot-queries.ts";
import { Badge } from "../ui/badge.tsx";
import { Fact } from "../ui/page.tsx";
import { Prose } from "../ui/prose.tsx";
import { documentOf } from "./options.ts";

export function TargetFacts({ screenshot }: { screenshot: StoredScreenshot }) {
  const { url, final_url, target_status, warnings } = screenshot;
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
