/** Requests screenshots of a page and compares them with its reference. */

import type { RunningContender } from "../bench/contenders.ts";
import { type Answer, refusal, requestScreenshot } from "../bench/measure/client.ts";
import { type Comparison, compare } from "./blocks.ts";
import type { FidelityCase } from "./case.ts";
import { decode, type Image } from "./images.ts";
import type { Reference } from "./references.ts";

export interface Capture {
  contender: string;
  seconds: number;
  /** From `X-Warnings`. */
  warnings: string | undefined;
  /** Why there is no screenshot. */
  failure: string | undefined;
  png: Buffer | undefined;
  image: Image | undefined;
  comparison: Comparison | undefined;
}

let requests = 0;

/** Makes each URL unique, so that no response comes from a cache. */
export async function capture(contender: RunningContender, one: FidelityCase, url: string, reference: Reference): Promise<Capture> {
  requests += 1;
  const options = { full_page: "true", format: "png", ...one.options };
  const query = new URLSearchParams({ ...contender.query, url: `${url}&shot=${requests}`, ...options });
  const answer = await requestScreenshot(`${contender.origin}/v1/screenshots/take?${query}`, contender.headers);
  const image = refusal(answer) === undefined ? await decode(answer.body).catch(() => undefined) : undefined;
  return {
    contender: contender.name,
    seconds: answer.ms / 1000,
    warnings: warningsOf(answer),
    failure: image ? undefined : (refusal(answer) ?? "no image"),
    png: image && answer.body,
    image,
    comparison: image && compare(reference.image, reference.unsure, image),
  };
}

function warningsOf({ headers }: Answer): string | undefined {
  const value = headers["x-warnings"];
  return Array.isArray(value) ? value.join("; ") : value;
}

/** Whether all captures are pixel-identical. */
export function areIdentical(captures: Capture[]): boolean {
  const [first, ...others] = captures.map(({ image }) => image);
  return first !== undefined && others.every((other) => other?.width === first.width && other.pixels.equals(first.pixels));
}
