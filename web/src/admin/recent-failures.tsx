/** Administration: failed captures in the last hour and the last day, by error code. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { serviceStateQuery } from "../api/admin-queries.ts";
import { count } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";
import { Prose } from "../ui/prose.tsx";

export function RecentFailures() {
  const { failures } = useSuspenseQuery(serviceStateQuery).data;
  return (
    <Section title="Recent failures">
      {failures.length === 0 ? (
        <p className="text-sm text-muted">No captures failed in the last 24 hours.</p>
      ) : (
        <table className="w-full text-left text-sm">
          <thead className="text-muted">
            <tr>
              <th className="pb-2 font-medium">Error</th>
              <th className="pb-2 pl-4 text-right font-medium whitespace-nowrap">Last hour</th>
              <th className="pb-2 pl-4 text-right font-medium whitespace-nowrap">24 hours</th>
            </tr>
          </thead>
          <tbody>
            {failures.map(({ code, message, last_hour, last_day }) => (
              <tr key={code} className="border-t border-line align-top">
                <td className="py-2">
                  <code className="font-mono text-[0.8125rem] break-all">{code}</code>
                  <span className="block text-muted">
                    <Prose text={message} />
                  </span>
                </td>
                <td className="tabular py-2 pl-4 text-right">{count(last_hour)}</td>
                <td className="tabular py-2 pl-4 text-right">{count(last_day)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}
