/** `crawl` in the body of a batch: captures a site instead of a list of pages. */

import { z } from "zod";
import type { Caller } from "../../accounts/keys/caller.ts";
import { parameterOf } from "../../capture/options.ts";
import type { NewCrawl } from "../../screenshots/crawl/crawl-records.ts";
import type { SiteRobots } from "../../screenshots/crawl/site-robots.ts";
import type { BatchEntry } from "../../screenshots/queued/batch-entries.ts";
import { type ParameterProblem, wrongParameter } from "../../shared/errors.ts";
import { mayRequest } from "../../sitemaps/robots.ts";
import { refuse } from "../captures/output-problems.ts";
import type { Members } from "../input/json-body.ts";
import { createInputReader } from "../input/read-input.ts";
import { jsonSchemaOf } from "../openapi/operation.ts";

const patterns = z
  .array(
    z
      .string()
      .max(200)
      .regex(/^[/*]\S*$/)
      .meta({ valid: "a path and query pattern of at most 200 characters, such as /docs/*" }),
  )
  .max(20)
  .default([]);

const crawlSchema = z.strictObject({
  url: parameterOf("url").unwrap().meta({ description: "URL of the first page. Only pages on its host are captured." }),
  depth: z.int().min(1).max(5).default(3).meta({ description: "Maximum number of links to follow from the first page to any other." }),
  limit: z.int().min(1).max(1_000).default(100).meta({ description: "Maximum number of pages to load." }),
  include: patterns.meta({
    description:
      "Patterns of the pages to capture besides the first, matched against path and query; `*` matches any text. Default: all pages.",
  }),
  exclude: patterns.meta({ description: "Patterns of the pages not to capture, matched against path and query." }),
});

export type GivenCrawl = z.output<typeof crawlSchema>;

const description = "Instead of `captures`: captures a page and, by following links, other pages of its site.";

/** The JSON schema of `crawl`, for the OpenAPI description. */
export const crawlProperty = () => jsonSchemaOf(crawlSchema.meta({ description }), "input");

const readCrawlIn = createInputReader(z.object({ crawl: crawlSchema }));

/** Replaces the body's `crawl` with the first page to capture; undefined without `crawl`. @throws {AppError} `invalid_parameters`. */
export function crawlOf(members: Members): { crawl: GivenCrawl; listed: Members } | undefined {
  const { crawl: given = null, ...others } = members;
  if (given === null) return undefined;
  const problems = ["captures", "sitemap_url", "limit"]
    .filter((name) => (others[name] ?? null) !== null)
    .map((name): ParameterProblem => {
      const hint = name === "limit" ? "send crawl.limit" : "send one or the other";
      return { parameter: name, message: `${name} can't be combined with crawl: ${hint}`, allowed: `${name} or crawl, but not both` };
    });
  refuse(problems);
  const { crawl } = readCrawlIn({ crawl: given });
  const { limit: _, ...listed } = others;
  return { crawl, listed: { ...listed, captures: [{ url: crawl.url }] } };
}

/**
 * Reads the robots.txt of the first page's site.
 * @throws {AppError} `invalid_parameters` if the page may not be crawled, an option can't be used with a crawl, or the proxy doesn't exist;
 *   `target_not_allowed`, `domain_not_allowed`, `proxy_not_allowed`; `rate_limited` or `unavailable` if too many such files are being read.
 */
export async function startCrawl(
  siteRobots: SiteRobots,
  caller: Caller,
  { crawl, first }: { crawl: GivenCrawl; first: BatchEntry },
  signal: AbortSignal,
): Promise<NewCrawl> {
  if (first.outputs.some(({ request }) => request.maxAgeSeconds > 0))
    throw wrongParameter("shared.is_cached", "can't be used with crawl, which reads the links of the pages that it loads", "false");
  const url = new URL(crawl.url);
  const { robots, problem } = await siteRobots(caller, first.outputs[0]?.request.options ?? {}, url.origin, signal);
  if (problem !== undefined)
    throw wrongParameter("crawl.url", `can't be crawled: its robots.txt ${problem}`, "a page whose site's robots.txt can be read");
  if (!mayRequest(robots, url))
    throw wrongParameter("crawl.url", "can't be crawled: its site's robots.txt disallows it", "a page that robots.txt allows");
  return { ...crawl, url, robots };
}
