/**
 * What blocking costs: `npm test -- test/capture/blocking-cost.ts [--test-name-pattern=…]` prints median times of alternating captures,
 * with and without blocking, of a page on which there is nothing to block. Asserts nothing: figures are meaningful only on a quiet
 * machine.
 */

import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileScope } from "../support/scope.ts";
import { startService } from "../support/service.ts";
import { createSite } from "../support/site.ts";

const pairs = Number(process.env.PAIRS ?? 30);

const variants: Record<string, Record<string, string>> = {
  nothing: {},
  block_ads: { block_ads: "true" },
  block_trackers: { block_trackers: "true" },
  block_cookie_banners: { block_cookie_banners: "true" },
  block_chats: { block_chats: "true" },
  "all four": { block_ads: "true", block_trackers: "true", block_cookie_banners: "true", block_chats: "true" },
  block_requests: { block_requests: Array.from({ length: 20 }, (_, index) => `host-${index}.example`).join("\n") },
  block_resources: { block_resources: "font,media" },
  hide_selectors: { hide_selectors: ".nothing" },
};

/** Several hundred elements with their own class names, and forty requests. */
const page = `<!doctype html><meta charset="utf-8"><style>article{float:left;width:200px;margin:8px;font:14px/1.4 sans-serif}</style>
  ${Array.from({ length: 40 }, (_, index) => `<script async src="/script-${index}.js"></script>`).join("")}
  ${Array.from({ length: 300 }, (_, index) => `<article class="card card--${index} teaser" id="card-${index}"><h2 class="headline">Title ${index}</h2><p class="text"><a class="more" href="/page/${index}">Some words of text, as pages have them, to lay out and to paint.</a></p></article>`).join("")}`;

test("what blocking costs", { timeout: 30 * 60_000 }, async (t) => {
  const scope = fileScope();
  const site = await createSite(scope, {
    "/": page,
    ...Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`/script-${index}.js`, "1"])),
  });
  const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
  const { key } = await service.createAccount();
  const once = async (parameters: Record<string, string>) => {
    const since = performance.now();
    const response = await service.take({ api_key: key, url: site.origin, ...parameters });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${response.status}`);
    return performance.now() - since;
  };
  for (const parameters of Object.values(variants)) await once(parameters); // lists are loaded, code is warm
  for (const [name, parameters] of Object.entries(variants)) {
    const without: number[] = [];
    const difference: number[] = [];
    const cpu = { with: 0, without: 0 };
    for (let pair = 0; pair < pairs; pair += 1) {
      const times = { with: 0, without: 0 };
      for (const turn of pair % 2 === 0 ? (["with", "without"] as const) : (["without", "with"] as const)) {
        const before = cpuMs();
        times[turn] = await once(turn === "with" ? parameters : {});
        cpu[turn] += cpuMs() - before;
      }
      without.push(times.without);
      difference.push(times.with - times.without);
    }
    const share = (more: number, base: number) =>
      `${more.toFixed(1)} ms more on ${base.toFixed(0)} ms, ${((100 * more) / base).toFixed(1)} %`;
    const [own, usual] = [cpu.with / pairs, cpu.without / pairs];
    t.diagnostic(`${name}: medians ${share(median(difference), median(without))}; CPU time ${share(own - usual, usual)}`);
  }
});

/** CPU time of this process and of all processes that it started, in milliseconds; a kernel tick is 10 ms. Linux only. */
function cpuMs(): number {
  const stats = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
          .replace(/^.*\) /s, "")
          .split(" ");
        return [{ pid: Number(pid), parent: Number(fields[1]), ms: 10 * (Number(fields[11]) + Number(fields[12])) }];
      } catch {
        return []; // it has exited
      }
    });
  const family = new Set([process.pid]);
  for (const { pid, parent } of stats.sort((a, b) => a.pid - b.pid)) if (family.has(parent)) family.add(pid);
  return stats.reduce((sum, { pid, ms }) => sum + (family.has(pid) ? ms : 0), 0);
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
