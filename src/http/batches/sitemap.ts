/** Expands a batch request with a sitemap into a list of captures. */

import type { ParameterProblem } from "../../shared/errors.ts";
import { refuse } from "../captures/input.ts";
import type { Members } from "../input/json-body.ts";
import { capturesMax } from "./input.ts";

const placeholder = "https://example.com/";

/**
 * Replaces `sitemap_url` and `limit` in the body by `captures`. The sitemap is fetched only if the rest of the body is valid.
 * @param read validates a body. @throws {AppError} the same as `read` and `readPages`; `invalid_parameters`.
 */
export async function withSitemap(
  members: Members,
  read: (members: Members) => Promise<unknown>,
  readPages: (address: string, limit: number) => Promise<string[]>,
): Promise<Members> {
  const { sitemap_url: address = null, limit = null, ...others } = members;
  const problems: ParameterProblem[] = [];
  const problem = (parameter: string, not: string, allowed: string) =>
    void problems.push({ parameter, message: `${parameter} ${not}`, allowed });
  if (limit !== null && (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > capturesMax))
    problem("limit", `must be an integer from 1 to ${capturesMax}`, `an integer from 1 to ${capturesMax}`);
  if (limit !== null && address === null) problem("limit", "requires sitemap_url", "no limit without sitemap_url");
  if (address !== null && typeof address !== "string") problem("sitemap_url", "must be text", "the URL of a sitemap");
  if (address !== null && Object.hasOwn(others, "captures"))
    problem("sitemap_url", "can't be combined with captures: send one of them", "sitemap_url or captures");
  refuse(problems);
  if (typeof address !== "string") return others;
  await read({ ...others, captures: [{ url: placeholder }] });
  const urls = await readPages(address, Number(limit ?? capturesMax));
  return { ...others, captures: urls.map((url) => ({ url })) };
}
