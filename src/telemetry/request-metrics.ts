/** Counts requests and records their durations. The library would build a string from the labels for each request, which is slower. */

import { Counter, type Metric, type Registry } from "prom-client";

/** @param bounds upper bounds of the histogram's buckets in seconds, ascending. */
export function createRequestMetrics(registry: Registry, bounds: number[]) {
  /** Requests since the counter was last read, by route and status. */
  const counted = new Map<string, Map<number, number>>();
  const requests = new Counter({
    name: "tintype_http_requests_total",
    help: "Requests by response status; 499: the caller disconnected.",
    labelNames: ["route", "status"],
    registers: [registry],
    collect() {
      for (const [route, statuses] of counted) for (const [status, count] of statuses) this.inc({ route, status }, count);
      counted.clear();
    },
  });
  const times = new RequestTimes({
    name: "tintype_http_request_seconds",
    help: "Time from the arrival of a request to the end of its response.",
    bounds,
  });
  registry.registerMetric(times as unknown as Metric);

  /** Counts a finished request. @param route the pattern of its path, which limits the number of series. */
  function countRequest(route: string, status: number, seconds: number): void {
    let statuses = counted.get(route);
    if (!statuses) {
      statuses = new Map();
      counted.set(route, statuses);
    }
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    times.observe(route, seconds);
  }
  return { requests, countRequest };
}

class RequestTimes {
  readonly name: string;
  readonly help: string;
  readonly type = "histogram";
  readonly aggregator = "sum";
  readonly #bounds: number[];
  /** Series by route. The number of routes is fixed. */
  readonly #series = new Map<string, Series>();

  constructor({ name, help, bounds }: { name: string; help: string; bounds: number[] }) {
    this.name = name;
    this.help = help;
    this.#bounds = bounds;
  }

  observe(route: string, seconds: number): void {
    let series = this.#series.get(route);
    if (!series) {
      series = { counts: this.#bounds.map(() => 0), sum: 0, count: 0 };
      this.#series.set(route, series);
    }
    series.sum += seconds;
    series.count += 1;
    const bucket = this.#bounds.findIndex((bound) => seconds <= bound);
    if (bucket !== -1) series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
  }

  /** Returns the values in the form that the library's registry expects. */
  async get() {
    const values = [...this.#series].flatMap(([route, { counts, sum, count }]) => {
      let sofar = 0;
      const buckets = this.#bounds.map((le, index) => {
        sofar += counts[index] ?? 0;
        return { labels: { le, route }, value: sofar, metricName: `${this.name}_bucket` };
      });
      const all = { labels: { le: "+Inf", route }, value: count, metricName: `${this.name}_bucket` };
      const sums = { labels: { route }, value: sum, metricName: `${this.name}_sum` };
      return [...buckets, all, sums, { labels: { route }, value: count, metricName: `${this.name}_count` }];
    });
    return { name: this.name, help: this.help, type: this.type, aggregator: this.aggregator, values };
  }

  reset(): void {
    this.#series.clear();
  }
}

interface Series {
  /** Observations per bucket; unlike the exported values, not cumulative. */
  counts: number[];
  sum: number;
  count: number;
}
