/** What is worked out at the end of a capture from a page's own text is spread over several turns of the event loop. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tab } from "../../src/browser/tab.ts";
import { createRecorder } from "../../src/capture/explanation.ts";
import type { PageFacts } from "../../src/capture/verdict/page-facts.ts";
import { classify } from "../../src/capture/verdict/verdict.ts";
import { createPauses, turnMs, turnOf } from "../../src/shared/turns.ts";
import { forAccount } from "../../src/shared/work-owner.ts";
import { longestTurnAtBest } from "../support/longest-turn.ts";
import { fileScope } from "../support/scope.ts";
import { startService } from "../support/service.ts";
import { createSite } from "../support/site.ts";

const turnMaxMs = 30;
/** More for what happens only once, which can't be tried again: in one turn, it takes 85 ms. */
const firstTurnMaxMs = 60;

const words = "Log in. Sign in to continue. Verify you are human. Accept all cookies. Page not found. This domain is for sale. Blocked. ";
const text = (words + ". ".repeat(2_000)).slice(0, 4_000).trim();
const wall: PageFacts = {
  requested: new URL("https://example.com/"),
  shown: new URL("https://example.com/login"),
  status: 200,
  isBlank: false,
  title: "Sign in 404",
  heading: "Sign in 404 not found",
  text,
  textLength: 1,
  mainLines: [text],
  mainActions: Array(40).fill("Sign in next accept continue"),
  articleLength: 0,
  items: 0,
  passwordForm: { isNew: false, outside: 0, action: "Log in ".repeat(400) },
  quotations: [],
  headings: 1,
  passwordFields: 1,
  fields: 1,
  buttons: 1,
  media: 0,
  resources: Array(200).fill("https://example.com/_Incapsula_Resource?".repeat(7)),
  overlay: `cookie accept ${". ".repeat(1_000)}`,
  overlayActions: Array(50).fill("accept all cookies and continue"),
};

test("the first verdict, of a page that could be any wall, is spread over several turns", async () => {
  const { ms, result } = await longestTurnAtBest(() => Promise.resolve(classify(wall)), firstTurnMaxMs, 1);
  assert.equal(result.verdict.kind, "login_wall");
  assert.ok(ms < firstTurnMaxMs, `a turn of the event loop took ${ms} ms`);
});

test("the errors in an explanation are read in several turns, however long they are", async () => {
  const url = `http://x.test/${"aB=".repeat(2_600)}`;
  const listeners = new Map<string, (event: object) => void>();
  const message = {
    type: "error",
    args: [{ type: "string", value: "aB=".repeat(2_600) }],
    timestamp: 1,
    stackTrace: { callFrames: [{ url, lineNumber: 1, columnNumber: 1 }] },
  };
  const tab = {
    on: (name: string, listener: (event: object) => void) => void listeners.set(name, listener),
    send: async (name: string) => {
      if (name === "Runtime.enable") for (let left = 50; left > 0; left -= 1) listeners.get("Runtime.consoleAPICalled")?.(message);
    },
    within: async (_ms: number, work: Promise<unknown>) => await work.then(() => true),
    refusals: () => [],
  };
  const recorder = createRecorder();
  await recorder.follow(tab as unknown as Tab);
  const { ms, result } = await longestTurnAtBest(() => recorder.complete(), turnMaxMs);
  assert.equal(result.console.length, 50);
  assert.ok(ms < turnMaxMs, `a turn of the event loop took ${ms} ms`);
});

function work(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

/** Loops of the account, whose steps each take a whole turn, until `stop`, which returns the number of steps. */
function keepBusy(account: string, count: number): { stop(): Promise<number> } {
  let [steps, isOver] = [0, false];
  const loops = Array.from({ length: count }, async () => {
    for (;;) {
      await turnOf(account);
      if (isOver) return;
      steps += 1;
      work(turnMs + 1);
    }
  });
  const stop = async () => {
    isOver = true;
    await Promise.all(loops);
    return steps;
  };
  return { stop };
}

test("loops over one account's text delay those over another's by one turn each time", async () => {
  const busy = keepBusy("busy", 50);
  await forAccount("other", async () => {
    const pause = createPauses();
    for (let step = 0; step < 40; step += 1) {
      await pause();
      work(3);
    }
  });
  const steps = await busy.stop();
  assert.ok(steps >= 5 && steps < 50, `${steps} turns of the busy account came first`);
});

test("a capture's loops take their turns as its account's", async () => {
  const scope = fileScope();
  const site = await createSite(scope);
  const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: site.host });
  const { key, userId } = await service.createAccount();
  let busy: ReturnType<typeof keepBusy> | undefined;
  site.serve({
    "/": (_request, response) => {
      busy = keepBusy(userId, 400);
      response.setHeader("content-type", "text/html").end("<p>A page");
    },
  });
  const { status } = await service.take({ api_key: key, url: `${site.origin}/` });
  assert.equal(status, 200);
  const steps = (await busy?.stop()) ?? 0;
  assert.ok(steps >= 400, `${steps} turns of 400 loops of the account came first`);
});
