/** The target's response and the times of a capture, from its explanation. */

import type { Explanation } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";
import { durationOf } from "../ui/format.ts";
import { Fact } from "../ui/page.tsx";

export function TargetFacts({ explanation, url }: { explanation: Explanation; url: string }) {
  const { redirects, requests, steps } = explanation;
  const address = redirects.at(-1)?.to ?? url;
  const status = requests.findLast((request) => request.type === "document" && request.url === address)?.status;
  return (
    <>
      {address !== url && <Fact name="Final address">{address}</Fact>}
      {status != null && (
        <Fact name="Target">
          <Badge tone={status < 400 ? "good" : "warn"}>{status}</Badge>
        </Fact>
      )}
      {steps.length > 0 && (
        <Fact name="Times">
          <ul>
            {steps.map(({ at, text }) => (
              <li key={`${at} ${text}`}>
                <span className="text-muted">{durationOf(at)}</span> {text}
              </li>
            ))}
          </ul>
        </Fact>
      )}
    </>
  );
}
