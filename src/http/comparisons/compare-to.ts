/** The `compare_to` option: checks it before the capture, and adds the result to the response. */

import type { FastifyRequest } from "fastify";
import type { Caller } from "../../accounts/keys/caller.ts";
import { compareTo, shotOf } from "../../screenshots/compare/compare-to.ts";
import { assertComparable, readStoredShot, type ShotParts } from "../../screenshots/compare/stored-shots.ts";
import type { Screenshot } from "../../screenshots/take/capture-and-store.ts";
import type { Links } from "../../storage/link.ts";
import type { LinkBase } from "../input/link-base.ts";
import { comparisonAnswer } from "./answer.ts";

/** Parts of the response that come from a comparison. */
export interface ComparedShot {
  headers: Record<string, string>;
  /** Member of a JSON response. */
  comparison?: object;
  warnings: string[];
}

/** Compares a screenshot within `ms` milliseconds. A cached screenshot is passed by id. @throws {ClientGone} */
export type CompareShot = (shot: Screenshot | { id: string }, ms: number, disconnected: AbortSignal) => Promise<ComparedShot>;

interface Parts extends ShotParts {
  links: Links;
  linkBase: LinkBase;
}

/**
 * @param id the screenshot to compare with.
 * @throws {AppError} `not_found`; `invalid_parameters` if it isn't an image or is too large; `unavailable` if storing it takes too long.
 */
export async function createCompareShot(parts: Parts, http: FastifyRequest, viewer: Caller, id: string): Promise<CompareShot> {
  await assertComparable(parts.database, viewer, [{ member: "compare_to", id }]);
  return async (shot, ms, signal) => {
    const read = async () => ("image" in shot ? shotOf(shot) : await readStoredShot(parts, viewer, { member: "compare_to", id: shot.id }));
    const compared = await compareTo(parts, { viewer, id, ms, signal }, read);
    if ("warning" in compared) return { headers: {}, warnings: [compared.warning] };
    const { isChanged, changedShare, regions } = compared;
    const headers = {
      "x-changed": String(isChanged),
      "x-changed-share": String(changedShare),
      "x-changed-regions": String(regions.length),
    };
    return { headers, comparison: comparisonAnswer(compared, parts.links, parts.linkBase(http)), warnings: [] };
  };
}
