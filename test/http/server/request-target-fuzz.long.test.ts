/** Generated request targets: router, signature, parser and log never disagree. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { RawAnswer } from "../../support/raw.ts";
import { encoded, evil, good, json, sign, startRawTargets, take } from "./raw-targets.ts";
import { type GeneratedTarget, generatedTarget, hasFragment, loggedPath, readingOf, targetText } from "./request-targets.ts";

const runs = 50;
const targetsOfARun = 40;

test(`${runs * targetsOfARun} generated request targets: router, signature, parser and log interpret each one identically`, async (t) => {
  const { service, attacker, victim, send, assertCaptures } = await startRawTargets(t);
  const plain = `url=${encoded(good)}&dry_run=1`;
  const seen: Record<string, number> = {};
  const batch = fc.array(generatedTarget({ take, good, evil, plain }), { minLength: targetsOfARun, maxLength: targetsOfARun, size: "max" });
  await fc.assert(
    fc.asyncProperty(batch, async (all) => {
      const targetsOfBoth: string[] = [];
      for (const account of [attacker, victim]) {
        const targets = all.map((one) => targetText(one, account.key, plain, (query) => sign(query, account)));
        targetsOfBoth.push(...targets);
        const already = service.logged().length;
        const answers = await send(targets);
        const lines = service.logged().slice(already);
        for (const [index, answer] of answers.entries()) {
          const outcome = assertReadAlike(targets[index] as string, all[index] as GeneratedTarget, answer, lines);
          seen[outcome] = (seen[outcome] ?? 0) + 1;
        }
        assert.ok(!lines.includes(account.key), "the key was logged");
      }
      await assertCaptures(plain, good, targetsOfBoth.join("\n"));
    }),
    { numRuns: runs, endOnFailure: true },
  );
  t.diagnostic(JSON.stringify(seen));
  for (const outcome of ["fragment", "captured", "refused", "elsewhere"])
    assert.ok((seen[outcome] ?? 0) > 100, `${outcome}: ${seen[outcome]}`);
});

/** Checks the response and the log against RFC 9112 and the rules for forms, as implemented by the test's own parser. */
function assertReadAlike(target: string, { signature }: GeneratedTarget, answer: RawAnswer, lines: string): string {
  const what = `${target}: ${answer.status} ${answer.body}`;
  const line = lines.split("\n").find((text) => text.includes('"answered"') && text.includes(answer.headers["x-request-id"] ?? "none"));
  if (hasFragment(target)) {
    assert.equal(answer.status, 400, what);
    assert.equal(line, undefined, what);
    return "fragment";
  }
  const { path, isTake, hasKey, urls } = readingOf(target);
  if (line) assert.equal(JSON.parse(line).path, loggedPath(path), what);
  if (!isTake) {
    const isRoot = /^\/{1,2}$/.test(path);
    assert.ok([400, 404, 414].includes(answer.status) || (isRoot && answer.status === 200), what);
    assert.equal(answer.headers["x-ratelimit-limit"], undefined, what);
    return "elsewhere";
  }
  assert.ok(line, what);
  if (!hasKey) {
    assert.match(json(answer).message, /api_key is missing/, what);
    return "without key";
  }
  if (signature === "wrong") {
    assert.deepEqual([answer.status, json(answer).code], [403, "signature_invalid"], what);
    return "refused";
  }
  if (urls.length !== 1) {
    assert.equal(answer.status, 400, what);
    return "contradictory";
  }
  assert.equal(answer.status, 200, what);
  assert.equal(json(answer).options.url, new URL(urls[0] as string).href, what);
  return "captured";
}
