/** What `every-face.mjs` finds, in every environment. */

import { findUnrevokedKey } from "../../src/accounts/keys/keys-of-any-user.ts";
import type { TestService } from "../support/service.ts";
import { colouredPage, type Site } from "../support/site.ts";

/** Not blank, so that the verdict is `ok`. */
export const page = colouredPage(
  "#00ff00",
  `<h1>Opening hours</h1>${"<p>Monday to Friday, nine to five, and by appointment.</p>".repeat(20)}`,
);

/** The expected results for a site whose root is `page`. */
export function expectedOfEveryFace({ origin, host }: Pick<Site, "origin" | "host">): object {
  return {
    signature: [0x89, 0x50, 0x4e, 0x47],
    taken: {
      data: true,
      contentType: "image/png",
      id: true,
      cache: "MISS",
      verdict: { kind: "ok", reason: "" },
      warnings: [],
      targetStatus: 200,
      targetUrl: `${origin}/`,
      etag: true,
      requestId: true,
      timings: true,
      rateLimit: [100_000, 99_999, true],
    },
    described: [60, "ok", true],
    signed: [200, "image/png", 403],
    capture: ["one", "output-2"],
    ended: ["done", "done", 1, "capture_begun"],
    batch: [
      "done",
      { queued: 0, running: 0, done: 1, failed: 1, canceled: 0 },
      [`${host.replace(":", "-")}: done`, "wrong: failed"],
      1,
      [0x50, 0x4b],
    ],
    retried: [1, true],
    session: [["example.com"], ["shop"], 1],
    destination: ["{host}/{date}/{name}.{ext}", ["archive"], false, "not_found"],
    watch: [["of a test"], "paused", "renamed", true, null],
    refused: [true, "invalid_parameters", 400, false, ["quality"]],
    away: ["unreachable", 0, true],
    aborted: "enough",
    late: ["timeout", "No answer within 0.05 s."],
  };
}

/** A key's signing secret. */
export async function signingSecretOf({ database, services }: Pick<TestService, "database" | "services">, key: string): Promise<string> {
  return services.signatures.secretOf((await findUnrevokedKey(database, key)).id);
}
