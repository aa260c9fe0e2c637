/** Who may sign up: anyone, invited people, people in certain e-mail domains, or nobody. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { before, test } from "node:test";
import { deleteUser, setRole } from "../../../src/accounts/people/users.ts";
import { longOnly, onlyLong } from "../../support/long-only.ts";
import { fileScope, type Scope } from "../../support/scope.ts";
import type { TestService } from "../../support/service.ts";
import { createVisitor, goodPassword, publicUrl, startWithVisitors, type Visitor } from "../../support/visitor.ts";

const longTest = longOnly(test);
const scope = fileScope();
let service: TestService;
let admin: Visitor;

before(async () => {
  service = await startWithVisitors(scope, { SIGN_UP: "invite", SIGN_UP_DOMAINS: "example.org, Example.net" });
  admin = await adminOf(service);
});

/** An administrator, whose account is created by the command. */
async function adminOf({ database, origin }: TestService): Promise<Visitor> {
  const { createUser } = await import("../../../src/accounts/people/users.ts");
  const { resetPassword } = await import("../../../src/accounts/people/passwords.ts");
  const { email } = await createUser(database, `admin-${crypto.randomUUID()}@example.com`);
  await resetPassword(database, email, goodPassword);
  await setRole(database, email, "admin");
  const visitor = createVisitor({ origin });
  assert.equal((await visitor.post("/v1/auth/sign-in", { email, password: goodPassword })).status, 200);
  return visitor;
}

const someEmail = (domain = "example.com") => `${crypto.randomUUID()}@${domain}`;
const signUp = (at: Pick<TestService, "origin">, email: string, more: object = {}, visitor = createVisitor(at)) =>
  visitor.post("/v1/auth/sign-up", { name: "Ada", email, password: goodPassword, ...more });

async function invite(body: object = {}): Promise<{ id: string; token: string; link: string }> {
  const answer = await admin.post("/v1/admin/invitations", body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  const { link, invitation } = answer.body;
  return { id: invitation.id, link, token: new URL(link).searchParams.get("invitation") ?? "" };
}

async function assertRefused({ status, body, headers }: Awaited<ReturnType<typeof signUp>>, code: string): Promise<void> {
  assert.deepEqual([status, body.code], [403, code], JSON.stringify(body));
  assert.deepEqual(headers.getSetCookie(), []);
}

test("in production without SIGN_UP, strangers can't sign up through the API, and the error says how to get access", async (t) => {
  const fresh = await startWithVisitors(t, { SIGN_UP: "" });
  const answer = await signUp(fresh, someEmail());
  await assertRefused(answer, "sign_up_refused");
  assert.match(answer.body.message, /by invitation.*administrator/);
  assert.deepEqual((await createVisitor(fresh).get("/v1/auth/methods")).body.sign_up, { mode: "invite", domains: [] });
  assert.equal((await fresh.pool.query("select 1 from users")).rowCount, 0);
});

test("a refused sign-up doesn't reveal whether the address has an account", async () => {
  const email = someEmail("example.org");
  assert.equal((await signUp(service, email)).status, 201);
  await service.pool.query("update users set email = $2 where email = $1", [email, email.replace("example.org", "example.com")]);
  await assertRefused(await signUp(service, email.replace("example.org", "example.com")), "sign_up_refused");
});

test("addresses in the listed domains may sign up without an invitation; those in other domains and subdomains may not", async () => {
  for (const domain of ["example.org", "EXAMPLE.NET"]) assert.equal((await signUp(service, someEmail(domain))).status, 201, domain);
  for (const domain of ["example.com", "sub.example.org", "notexample.org", "example.org.evil.test"])
    await assertRefused(await signUp(service, someEmail(domain)), "sign_up_refused");
  const { sign_up } = (await createVisitor(service).get("/v1/auth/methods")).body;
  assert.deepEqual(sign_up, { mode: "invite", domains: ["example.org", "example.net"] });
});

test("with SIGN_UP=closed, sign-up is refused even for listed domains and earlier invitations, and no invitations can be created", async (t) => {
  const open = await startWithVisitors(t);
  const opened = await adminOf(open);
  const { link } = (await opened.post("/v1/admin/invitations", {})).body;
  const { startReplica } = await import("../../support/service.ts");
  const closed = await startReplica(t, open, { SIGN_UP: "closed", SIGN_UP_DOMAINS: "example.org" });
  const invitation = new URL(link).searchParams.get("invitation");
  const answer = await signUp(closed, someEmail(), { invitation });
  await assertRefused(answer, "sign_up_refused");
  assert.match(answer.body.message, /closed.*administrator/);
  await assertRefused(await signUp(closed, someEmail("example.org")), "sign_up_refused");
  const closedAdmin = await adminOf(closed);
  assert.deepEqual((await closedAdmin.post("/v1/admin/invitations", {})).body.code, "not_possible");
  assert.equal((await signUp(open, someEmail(), { invitation })).status, 201);
});

test("an invitation creates one account, on its plan; only the hash of its token is stored", async () => {
  const { token, link } = await invite({ plan_id: "pro" });
  assert.ok(link.startsWith(`${publicUrl}/sign-up?invitation=`));
  const { rows } = await service.pool.query("select row_to_json(i)::text as text from invitations i where token_hash = $1", [
    createHash("sha256").update(token).digest(),
  ]);
  assert.equal(rows.length, 1);
  assert.ok(!rows[0].text.includes(token));
  const visitor = createVisitor(service);
  const shown = await visitor.post("/v1/auth/invitation", { invitation: token });
  assert.deepEqual([shown.status, shown.body.email, shown.body.plan], [200, null, "Pro"]);
  assert.equal((await signUp(service, someEmail(), { invitation: token }, visitor)).status, 201);
  const { plan, user } = (await visitor.get("/v1/account")).body;
  assert.deepEqual([plan.id, plan.source, user.role], ["pro", "manual", "user"]);
  await assertRefused(await signUp(service, someEmail(), { invitation: token }), "invitation_invalid");
  await assertRefused(await createVisitor(service).post("/v1/auth/invitation", { invitation: token }), "invitation_invalid");
  assert.ok(!service.logged().includes(token), "the token is not logged");
});

test("the list of invitations names the account created with each, unless it has been deleted", async () => {
  const { id, token } = await invite();
  const email = someEmail();
  const visitor = createVisitor(service);
  assert.equal((await signUp(service, email, { invitation: token }, visitor)).status, 201);
  const usedBy = async () => {
    const { invitations } = (await admin.get("/v1/admin/invitations")).body;
    return invitations.find((invitation: { id: string }) => invitation.id === id).used_by;
  };
  assert.equal(await usedBy(), email);
  await deleteUser(service.database, (await visitor.get("/v1/account")).body.user.id);
  assert.equal(await usedBy(), null);
});

longTest("of ten concurrent sign-ups with one invitation, exactly one succeeds", async () => {
  const { token } = await invite();
  const emails = Array.from({ length: 10 }, () => someEmail());
  const answers = await Promise.all(emails.map((email) => signUp(service, email, { invitation: token })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(9).fill(403)]);
  for (const { status, body } of answers) if (status === 403) assert.equal(body.code, "invitation_invalid");
  assert.equal((await service.pool.query("select 1 from users where email = any($1)", [emails])).rowCount, 1);
});

test("a failed sign-up leaves the invitation usable", async () => {
  const taken = someEmail("example.org");
  assert.equal((await signUp(service, taken)).status, 201);
  const { token } = await invite();
  assert.equal((await signUp(service, taken, { invitation: token })).body.code, "email_taken");
  assert.equal((await signUp(service, someEmail(), { invitation: token })).status, 201);
});

test("an invitation for one address is refused for any other", async () => {
  const email = someEmail();
  const { token } = await invite({ email: email.toUpperCase() });
  await assertRefused(await signUp(service, someEmail(), { invitation: token }), "invitation_invalid");
  await assertRefused(await signUp(service, someEmail("example.org"), { invitation: token }), "invitation_invalid");
  assert.equal((await signUp(service, email, { invitation: token })).status, 201);
});

test("expired, revoked and made-up invitations are refused", async () => {
  const expired = await invite();
  await service.pool.query("update invitations set expires_at = now() where id = $1", [expired.id]);
  const revoked = await invite();
  assert.equal((await admin.ask("DELETE", `/v1/admin/invitations/${revoked.id}`)).status, 204);
  assert.equal((await admin.ask("DELETE", `/v1/admin/invitations/${revoked.id}`)).status, 404);
  for (const invitation of [expired.token, revoked.token, "x".repeat(32)])
    await assertRefused(await signUp(service, someEmail(), { invitation }), "invitation_invalid");
});

test("a used invitation stays used after its account is deleted", async () => {
  const { token } = await invite();
  const visitor = createVisitor(service);
  const { body } = await signUp(service, someEmail(), { invitation: token }, visitor);
  assert.equal((await visitor.post("/v1/account/delete", { password: goodPassword })).status, 204);
  await service.pool.query("delete from users where id = $1", [body.user.id]);
  await assertRefused(await signUp(service, someEmail(), { invitation: token }), "invitation_invalid");
});

test("only administrators can list and create invitations; the list shows whether each has been used or has expired", async () => {
  const email = someEmail();
  const { id, token } = await invite({ email, plan_id: "pro", expires_in_days: 3 });
  const entry = async () =>
    (await admin.get("/v1/admin/invitations")).body.invitations.find((one: { id: string }) => one.id === id) as Record<string, string>;
  const pending = await entry();
  assert.deepEqual([pending.state, pending.email, pending.plan_id, pending.used_by], ["pending", email, "pro", null]);
  const days = (Date.parse(pending.expires_at ?? "") - Date.parse(pending.created_at ?? "")) / 86_400_000;
  assert.ok(Math.abs(days - 3) < 0.01, `${days}`);
  assert.ok(!JSON.stringify(pending).includes(token));
  const person = createVisitor(service);
  await signUp(service, email, { invitation: token }, person);
  assert.deepEqual([(await entry()).state, (await entry()).used_by], ["used", email]);
  for (const [visitor, status] of [
    [person, 403],
    [createVisitor(service), 401],
  ] as const) {
    assert.equal((await visitor.get("/v1/admin/invitations")).status, status);
    assert.equal((await visitor.post("/v1/admin/invitations", {})).status, status);
    assert.equal((await visitor.ask("DELETE", `/v1/admin/invitations/${id}`)).status, status);
  }
});

test("the error names an unknown plan or an expiry that is too far away", async () => {
  for (const [body, parameter] of [
    [{ plan_id: "gold" }, "plan_id"],
    [{ expires_in_days: 91 }, "expires_in_days"],
    [{ email: "nobody" }, "email"],
  ] as const) {
    const { status, body: answer } = await admin.post("/v1/admin/invitations", body);
    assert.deepEqual([status, answer.details[0].parameter], [400, parameter]);
  }
});

async function firstAccount(t: Scope, settings: Record<string, string>) {
  const { firstAccountLink } = await import("../../../src/accounts/people/sign-up.ts");
  const at = await startWithVisitors(t, settings);
  const link = () => firstAccountLink(at.database, at.services.config);
  return { at, link, token: new URL((await link()) ?? "").searchParams.get("invitation") ?? "" };
}

for (const mode of ["invite", ...onlyLong(["closed"])])
  test(`SIGN_UP=${mode}: the link for the first account works once, even concurrently, and creates an administrator`, async (t) => {
    const { at, link, token } = await firstAccount(t, { SIGN_UP: mode });
    assert.equal(new URL((await link()) ?? "").searchParams.get("invitation"), token, "every replica prints the same link");
    const answers = await Promise.all(Array.from({ length: 5 }, () => signUp(at, someEmail(), { invitation: token })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 403, 403, 403, 403]);
    const { user } = answers.find(({ status }) => status === 201)?.body ?? {};
    assert.equal(user.role, "admin");
    assert.equal(await link(), undefined);
    await at.pool.query("delete from users");
    await assertRefused(await signUp(at, someEmail(), { invitation: token }), "invitation_invalid");
  });

test("the link for the first account is invalid once an account has been created on the command line", async (t) => {
  const { at, link, token } = await firstAccount(t, { SIGN_UP: "invite" });
  await adminOf(at);
  assert.equal(await link(), undefined);
  await assertRefused(await signUp(at, someEmail(), { invitation: token }), "invitation_invalid");
});

test("with SIGN_UP=open anyone can sign up, and no link is logged", async (t) => {
  const { firstAccountLink } = await import("../../../src/accounts/people/sign-up.ts");
  const open = await startWithVisitors(t, { SIGN_UP: "open" });
  assert.equal(await firstAccountLink(open.database, open.services.config), undefined);
  assert.equal((await signUp(open, someEmail())).status, 201);
});
