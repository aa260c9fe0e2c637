/** Sign-ins by steps that are invalid or too large, run at the same time, or change meanwhile. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { playgroundCaller } from "../../../src/accounts/keys/caller.ts";
import { createPageSessions } from "../../../src/accounts/sessions/page-sessions.ts";
import { createSeal } from "../../../src/shared/seal.ts";
import { fileScope } from "../../support/scope.ts";
import { startService } from "../../support/service.ts";

const service = await startService(fileScope(), {});
const url = "http://127.0.0.1:9/login";
const loneSurrogate = "p\ud800w";
const plan = { url, steps: [{ click: "a" }], secrets: { password: loneSurrogate } };
const state = (value: string) => ({
  cookies: [{ name: "sid", value, domain: "127.0.0.1", path: "/", expires: -1, httpOnly: true, secure: false }],
  origins: [],
});
const pageSessions = createPageSessions(service.database, createSeal("a secret that is long enough for it", "page sessions"), 10);

/** A session that has been saved with steps, but has not signed in. */
async function savedSession() {
  const { userId } = await service.createAccount();
  const caller = await playgroundCaller(service.database, userId);
  const save = () => pageSessions.saveSignIn(service.database, caller, "shop", plan);
  const open = async () => {
    const { signIn, ...session } = await pageSessions.open(caller, "shop");
    assert.ok(signIn);
    return { ...session, signIn };
  };
  return { caller, save, open, saved: await save(), read: () => pageSessions.read(caller, "shop") };
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
    [{ url, steps: [type] }, "steps has the secret a, which is not one of secrets"],
    [{ url, steps: [{ click: { secret: "a" } }], secrets: { a: value } }, "steps must have secrets as text alone"],
    [{ url, steps: [{ click: "a", text: { secret: "a" } }], secrets: { a: value } }, "steps has an invalid step 1"],
    [{ url, steps: [{ press: value }] }, "steps has an invalid step 1: it must press one of"],
    [{ url, steps: [{ type: "#a", text: value.repeat(400) }] }, "steps"],
    [{ url, steps: [type], secrets: { a: value.repeat(400) } }, "secrets"],
    [{ url, steps: [type], secrets: { "a b": value } }, "secrets"],
    [{ url, steps: [type], secrets: { a: 40414243 } }, "secrets.a must be text of at most 4096 characters."],
    [{ url, steps: [type], secrets: { a: [value] } }, "secrets.a must be text"],
    [{ url, steps: [type], secrets: [value] }, "secrets must"],
    [{ url, steps: [{ type: "#a", text: [value] }] }, "steps[0].text must be text of at most 4096 characters, a number, or"],
    [{ url, steps: [{ type: "#a", text: { secret: 40414243 } }] }, "steps[0].text"],
    [{ url, steps: [{ type: "#a", text: { secret: [value] } }] }, "steps[0].text"],
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
  const failure = `Wrong: ${loneSurrogate}, p\ufffdw, p%EF%BF%BDw\0`;
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
  for (let count = 3; count <= 6; count += 1) {
    const { signIn } = await open();
    assert.equal(await signIn.begin(60_000, unexpected), "begun");
    await signIn.end({ failure: "no" });
  }
  const refused = (await (await open()).signIn.begin(60_000, unexpected)) as { refused: string };
  assert.match(refused.refused, /6 times within an hour/);
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

test("a session's steps can't be saved while others are being tried, and a failure keeps the count of sign-ins", async () => {
  const { open, read, save, saved } = await savedSession();
  await assert.rejects(save(), /name belongs to a session that is signing in/);
  const { signIn } = await open();
  await signIn.begin(60_000, unexpected);
  await signIn.end(signedIn);
  await saved.confirm();
  const count = async () =>
    (await service.pool.query("select sign_ins from page_sessions where id = $1", [(await read()).id])).rows[0].sign_ins;
  assert.equal(await count(), 1);
  const replacing = await save();
  await assert.rejects(save(), /name belongs to a session that is signing in/);
  assert.equal(await replacing.undo(), true);
  const kept = await read();
  assert.deepEqual([kept.signedInAt !== null, await count()], [true, 1]);
  assert.equal(await (await save()).undo(), true);
});
