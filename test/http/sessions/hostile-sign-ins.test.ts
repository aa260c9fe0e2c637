/** Sign-ins by steps that are invalid or too large, run at the same time, or change meanwhile. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { playgroundCaller } from "../../../src/accounts/keys/caller.ts";
import { deleteUser } from "../../../src/accounts/people/users.ts";
import { createPageSessions } from "../../../src/accounts/sessions/page-sessions.ts";
import { createSeal } from "../../../src/shared/seal.ts";
import { type PlannedStep, withoutSecrets } from "../../../src/shared/sign-in-plan.ts";
import { fileScope } from "../../support/scope.ts";
import { startService } from "../../support/service.ts";

const service = await startService(fileScope(), { ROLE: "api" });
const url = "http://127.0.0.1:9/login";
const loneSurrogate = "pa\ud800ssw";
const plan = { url, steps: [{ click: "a" }], secrets: { password: loneSurrogate }, signInHosts: [] };
const actor = { via: "api", userId: null, ip: null } as const;
const requested = (more: object = { plan }) => ({ id: randomUUID(), actor, ...more });
const state = (value: string) => ({
  cookies: [{ name: "sid", value, domain: "127.0.0.1", path: "/", expires: -1, httpOnly: true, secure: false }],
  origins: [],
});
const pageSessions = createPageSessions(service.database, createSeal("a secret that is long enough for it", "page sessions"), 10);

/** A session that has signed in by its steps. */
async function savedSession() {
  const { userId } = await service.createAccount();
  const caller = await playgroundCaller(service.database, userId);
  const open = async (request?: ReturnType<typeof requested>) => {
    const { signIn, ...session } = await pageSessions.open(caller, "shop", request);
    assert.ok(signIn);
    return { ...session, signIn };
  };
  const { signIn } = await open(requested());
  assert.equal(await signIn.begin(60_000, unexpected), "begun");
  assert.equal(await signIn.end(signedIn), undefined);
  const row = async () =>
    (await service.pool.query("select to_jsonb(p) - 'last_used_at' as row from page_sessions p where user_id = $1", [userId])).rows;
  return { caller, open, row, read: () => pageSessions.read(caller, "shop") };
}

const unexpected = () => Promise.reject(new Error("waits"));
const signedIn = { state: state("new") as never, hosts: ["127.0.0.1"] };

async function post(body: object) {
  const { key } = await service.createAccount();
  const response = await fetch(`${service.origin}/v1/sessions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "shop", ...body }),
  });
  const text = await response.text();
  assert.equal(response.status, 400, text);
  return { text, json: JSON.parse(text) };
}

test("POST sessions: steps, secrets and address are checked before anything is saved, and no error quotes a secret", async () => {
  const value = "v4lue-very-secret";
  const type = { type: "#a", text: { secret: "a" } };
  for (const [body, problem] of [
    [{}, "state is missing: send it, or url and steps"],
    [{ steps: [type], secrets: { a: value } }, "url is missing"],
    [{ url }, "steps is missing"],
    [{ url, state: { cookies: [{ name: "a", value, domain: "example.com" }] } }, "url can't be combined with state"],
    [{ url: "ftp://example.com", steps: [type], secrets: { a: value } }, "url"],
    [{ url, steps: [] }, "steps must"],
    [{ url, steps: Array(31).fill({ click: "a" }) }, "steps must"],
    [{ url, steps: [type] }, "steps uses the secret a, which is not in secrets"],
    [{ url, steps: [{ click: { secret: "a" } }], secrets: { a: value } }, "steps must refer to secrets only in text members"],
    [{ url, steps: [{ click: "a", text: { secret: "a" } }], secrets: { a: value } }, "steps is invalid: step 1"],
    [{ url, steps: [{ press: value }] }, "steps is invalid: step 1 must press one of"],
    [{ url, steps: [{ type: "#a", text: value.repeat(400) }] }, "steps"],
    [{ url, steps: [type], secrets: { a: value.repeat(400) } }, "secrets"],
    [{ url, steps: [type], secrets: { "a b": value } }, "secrets"],
    [{ url, steps: [type], secrets: { a: 40414243 } }, "secrets.a must be a string of at most 4096 characters."],
    [{ url, steps: [type], secrets: { a: [value] } }, "secrets.a must be a string"],
    [{ url, steps: [type], secrets: [value] }, "secrets must"],
    [{ url, steps: [{ type: "#a", text: [value] }] }, "steps[0].text must be a string of at most 4096 characters, a number, or"],
    [{ url, steps: [{ type: "#a", text: { secret: 40414243 } }] }, "steps[0].text"],
    [{ url, steps: [{ type: "#a", text: { secret: [value] } }] }, "steps[0].text"],
    [{ url, steps: [type], secrets: { a: value }, sign_in_hosts: ["https://example.com"] }, "sign_in_hosts[0] must be a host name"],
    [{ url, steps: [type], secrets: { a: value }, sign_in_hosts: Array(9_500).fill(null) }, "sign_in_hosts must have at most 5 hosts"],
    [{ state: { cookies: [{ name: "a", value, domain: "a.example" }] }, sign_in_hosts: [] }, "sign_in_hosts can't be combined with state"],
    [{ url, steps: [value] }, "steps[0] must"],
    [{ url, steps: value }, "steps must"],
    [{ state: { cookies: [{ name: "a", value: 40414243, domain: "example.com" }] } }, "state.cookies[0].value"],
    [
      {
        url,
        steps: [type],
        secrets: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [index ? `a${index}` : "a", value])),
      },
      "secrets must have at most 20 values",
    ],
  ] as const) {
    const { text, json } = await post(body);
    assert.ok(json.message.startsWith(problem), json.message);
    assert.ok(!text.includes(value) && !text.includes("40414243"), text);
  }
  assert.equal((await service.pool.query("select from page_sessions")).rows.length, 0);
});

test("POST sessions: errors shorten the names of members", async () => {
  const secrets = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`${index}`.padEnd(60_000, "a"), []]));
  const { text, json } = await post({ url, steps: [{ click: "a" }], secrets });
  assert.equal(json.details.length, 20);
  assert.ok(text.length < 10_000, `${text.length} characters`);
});

test("POST sessions: a body with too many steps, members or secrets has one problem, whatever they contain", async () => {
  const many = (count: number, value: unknown) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, value]));
  for (const [body, message] of [
    [{ steps: [many(6, [])] }, "steps must have at most 5 members in each step."],
    [{ steps: [many(9_000, null)] }, "steps must have at most 5 members in each step."],
    [{ steps: Array(9_500).fill(null) }, "steps must have at most 30 steps."],
    [{ steps: [{ click: "a" }], secrets: many(9_500, null) }, "secrets must have at most 20 values."],
  ] as const) {
    const { json } = await post({ url, ...body });
    assert.deepEqual([json.message, json.details.length], [message, 1]);
  }
});

test("a sign-in that fails ends, even if a secret is not well-formed text", async () => {
  const { open, read } = await savedSession();
  const { signIn } = await open();
  assert.equal(await signIn.begin(60_000, unexpected), "begun");
  const failure = `Wrong: ${loneSurrogate}, pa\ufffdssw, PA%ef%bf%bdssw\0`;
  assert.equal(await signIn.end({ failure }), "Wrong: …, …, …");
  assert.equal((await read()).signInError, "Wrong: …, …, …");
  assert.equal(await (await open()).signIn.begin(60_000, unexpected), "begun");
});

test("who waits for a sign-in that never ends signs in, one at a time, up to the limit", async () => {
  const { open } = await savedSession();
  assert.equal(await (await open()).signIn.begin(60_000, unexpected), "begun");
  const waiting = [await open(), await open()];
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
    if (pauses === 2) await service.pool.query("update page_sessions set sign_in_until = now() - interval '1 second'");
  };
  const begun = waiting.map(async ({ signIn }) => {
    const answer = await signIn.begin(60_000, pause);
    if (answer === "begun") assert.equal(await signIn.end(signedIn), undefined);
    return answer;
  });
  assert.deepEqual((await Promise.all(begun)).sort(), ["begun", "renewed"]);
  for (let count = 4; count <= 6; count += 1) {
    const { signIn } = await open();
    assert.equal(await signIn.begin(60_000, unexpected), "begun");
    await signIn.end({ failure: "no" });
  }
  const refused = (await (await open()).signIn.begin(60_000, unexpected)) as { refused: string };
  assert.match(refused.refused, /limit of 6 sign-in attempts within an hour/);
});

test("who waits for a sign-in that takes longer than there is time stops waiting, so that the sign-in page can be captured", async () => {
  const { open } = await savedSession();
  assert.equal(await (await open()).signIn.begin(60_000, unexpected), "begun");
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
    if (pauses > 100) throw new Error("still waits");
    await new Promise((resolve) => setTimeout(resolve, 20));
  };
  assert.deepEqual(await (await open()).signIn.begin(100, pause), { refused: "another capture was still signing in" });
});

test("while a session signs in, session_update doesn't change it; a change by its owner makes the sign-in fail", async () => {
  const { open, read, caller } = await savedSession();
  const [one, other] = [await open(), await open()];
  assert.equal(await one.signIn.begin(60_000, unexpected), "begun");
  assert.equal(await other.save(state("other") as never), false);
  assert.equal(await one.signIn.end(signedIn), undefined);
  const again = await open();
  assert.equal(await again.signIn.begin(60_000, unexpected), "begun");
  await service.pool.query("update page_sessions set version = version + 1 where id = $1", [(await read()).id]);
  assert.equal(await again.signIn.end(signedIn), "the session was changed or deleted during the sign-in");
  const next = await open();
  assert.equal(await next.signIn.begin(60_000, unexpected), "begun");
  assert.equal(await again.signIn.end({ failure: "late" }), "late");
  assert.equal(await (await open()).save(state("late") as never), false, "another sign-in is not ended");
  await pageSessions.remove(service.database, caller, "shop");
  assert.match((await next.signIn.end(signedIn)) ?? "", /changed or deleted/);
});

test("nothing of a requested sign-in is saved before it succeeds, and of several the one that ends last is saved", async () => {
  const { open, row, read, caller } = await savedSession();
  const before = await row();
  const requests = [requested(), requested(), requested()] as const;
  const [one, other, failing] = [await open(requests[0]), await open(requests[1]), await open(requests[2])];
  for (const { signIn } of [one, other, failing]) {
    assert.ok(signIn.isNeeded);
    assert.equal(await signIn.begin(60_000, unexpected), "begun");
  }
  assert.equal(await failing.signIn.end({ failure: "no" }), "no");
  assert.deepEqual(await row(), before, "as it was, for captures that use it and after a process that was killed");
  assert.deepEqual([(await open()).state.cookies[0]?.value, (await open()).signIn.isNeeded], ["new", false]);
  assert.equal(await one.signIn.end({ state: state("one") as never, hosts: [] }), undefined);
  assert.equal(await other.signIn.end({ state: state("other") as never, hosts: [] }), undefined);
  assert.equal((await open()).state.cookies[0]?.value, "other");
  assert.equal((await read()).version, 3);
  const isBy = requests.map(({ id }) => pageSessions.isSignedInBy(caller, "shop", id));
  assert.deepEqual(await Promise.all(isBy), [false, true, false]);
  assert.equal((await open(requests[1])).signIn.isNeeded, false, "a repeated attempt at the same capture doesn't sign in twice");
});

test("a session that is signed in again on request keeps its state until then, and isn't signed in twice by one request", async () => {
  const { open, read } = await savedSession();
  const again = requested({});
  const { signIn, state: kept } = await open(again);
  assert.deepEqual([signIn.isNeeded, kept.cookies[0]?.value], [true, "new"]);
  assert.equal(await signIn.begin(60_000, unexpected), "begun");
  assert.equal(await signIn.end({ state: state("again") as never, hosts: [] }), undefined);
  const after = await open(again);
  assert.deepEqual([after.signIn.isNeeded, after.state.cookies[0]?.value, (await read()).version], [false, "again", 2]);
});

test("a requested sign-in is refused while the account has its maximum of sessions, also if that was reached meanwhile", async () => {
  const { userId } = await service.createAccount();
  const caller = await playgroundCaller(service.database, userId);
  const full = createPageSessions(service.database, createSeal("a secret that is long enough for it", "page sessions"), 1);
  const { signIn } = await full.open(caller, "shop", requested());
  await full.save(service.database, caller, "other", state("x") as never);
  await assert.rejects(full.assertSavable(caller, "shop"), /already has 1 session, the maximum/);
  await assert.rejects(signIn?.end(signedIn) ?? Promise.resolve(), /already has 1 session, the maximum/);
  assert.deepEqual(
    (await full.list(caller, { limit: 10 })).map(({ name }) => name),
    ["other"],
  );
});

test("a sign-in that ends after its account has been deleted saves nothing", async () => {
  const { caller, open, row } = await savedSession();
  const { signIn } = await open(requested());
  assert.equal(await signIn.begin(60_000, unexpected), "begun");
  await deleteUser(service.database, caller.userId);
  await assert.rejects(signIn.end(signedIn), /The account has been deleted/);
  assert.deepEqual(await row(), []);
});

test("secrets of less than four characters leave no gaps in reasons, which would show them", () => {
  const short = { steps: [], secrets: { pin: "a", code: "042", password: "Horse" } };
  assert.equal(withoutSecrets(short, "after the steps: 042, horse, HORSE.example"), "after the steps: 042, …, ….example");
});

test("texts that steps type as they are written are removed from reasons like secrets; selectors are not", () => {
  const steps: PlannedStep[] = [
    { click: "#start" },
    { type: "#user", text: "ann" },
    { type: "#password", text: "correct horse" },
    { wait: "#start" },
  ];
  const reason = "The field is on https://correct%20horse.example, no element matches #start for ann and correct horse";
  assert.equal(
    withoutSecrets({ steps, secrets: {} }, reason),
    "The field is on https://….example, no element matches #start for ann and …",
  );
});
