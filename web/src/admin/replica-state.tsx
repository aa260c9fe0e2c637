/** Administration: checks, queue and browsers of the replica that responds. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { serviceStateQuery } from "../api/admin-queries.ts";
import type { ServiceState } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";
import { count, counted, durationOf } from "../ui/format.ts";
import { Fact, Facts, Section } from "../ui/page.tsx";

const statuses: Record<ServiceState["replica"]["status"], [tone: Parameters<typeof Badge>[0]["tone"], label: string]> = {
  healthy: ["good", "Healthy"],
  degraded: ["warn", "Degraded"],
  unhealthy: ["bad", "Unhealthy"],
};
const checkNames = { database: "Database", cache: "Cache", storage: "Storage", queue: "Job queue", browser: "Browsers" };

export function ReplicaState() {
  const { status, uptime, checks, queue, browsers } = useSuspenseQuery(serviceStateQuery).data.replica;
  const [tone, label] = statuses[status];
  const ended = browsers.ended_early.filter(({ count: number }) => number > 0);
  return (
    <Section title="This replica" aside={<Badge tone={tone}>{label}</Badge>}>
      <Facts>
        {checks.map(({ name, status: outcome, duration, error }) => (
          <Fact key={name} name={checkNames[name]}>
            {outcome === "pass" ? `works, responded in ${durationOf(duration)}` : <span className="text-bad">fails: {error}</span>}
          </Fact>
        ))}
        <Fact name="Captures">
          {count(queue.running)} of {count(queue.capacity)} running, {count(queue.waiting)} waiting
        </Fact>
        <Fact name="Browsers open">{count(browsers.open)}</Fact>
        <Fact name="Since startup">
          <ul>
            <li>{counted(browsers.started, "browser")} started</li>
            {ended.length === 0 && <li>none ended early</li>}
            {ended.map(({ reason, count: number }) => (
              <li key={reason}>
                {count(number)} ended early: {reason}
              </li>
            ))}
            <li>{counted(browsers.retries, "capture")} retried</li>
          </ul>
        </Fact>
        <Fact name="Running for">{runningFor(uptime)}</Fact>
      </Facts>
    </Section>
  );
}

function runningFor(seconds: number): string {
  if (seconds < 3600) return counted(Math.floor(seconds / 60), "minute");
  return seconds < 86_400 ? counted(Math.floor(seconds / 3600), "hour") : counted(Math.floor(seconds / 86_400), "day");
}
