/** Confirming an address and resetting a password through a mailed link, with a real mail server. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createResetLink } from "../../../src/accounts/people/mailed-links.ts";
import { resetPassword } from "../../../src/accounts/people/passwords.ts";
import { firstAccountLink } from "../../../src/accounts/people/sign-up.ts";
import { createUser, setRole } from "../../../src/accounts/people/users.ts";
import { closingTimes } from "../../../src/start/closer.ts";
import { longOnly } from "../../support/long-only.ts";
import { linkIn, type MailServer, type ReceivedMail, startMailServer } from "../../support/mail-server.ts";
import { fileScope } from "../../support/scope.ts";
import type { TestService } from "../../support/service.ts";
import { createVisitor, goodPassword, publicUrl, signedUp, startWithVisitors, type Visitor } from "../../support/visitor.ts";

const longTest = longOnly(test);
const scope = fileScope();
let mail: MailServer;
let service: TestService;
before(async () => {
  mail = await startMailServer(scope);
  service = await startWithVisitors(scope, mail.settings);
});

const newPassword = "another password that is long";
const someEmail = (domain = "example.com") => `${crypto.randomUUID()}@${domain}`;
const tokenOf = (message: ReceivedMail) => new URL(linkIn(message)).searchParams.get("token") ?? "";

const signUp = (email: string, more: object = {}, on = service, visitor = createVisitor(on)) =>
  visitor.post("/v1/auth/sign-up", { name: "Ada", email, password: goodPassword, ...more });
const signIn = (email: string, password = goodPassword, visitor = createVisitor(service)) =>
  visitor.post("/v1/auth/sign-in", { email, password });
const confirm = (token: string, password = goodPassword) => createVisitor(service).post("/v1/auth/email/confirm", { token, password });
const forgot = (email: string, on = service) => createVisitor(on).post("/v1/auth/password/forgot", { email });
const reset = (token: string, password = newPassword) => createVisitor(service).post("/v1/auth/password/reset", { token, password });

/** A visitor who has confirmed their address and signed in. */
async function confirmed(): Promise<Visitor & { email: string }> {
  const email = someEmail();
  assert.equal((await signUp(email)).status, 201);
  assert.equal((await confirm(tokenOf(await mail.next(email)))).status, 204);
  const visitor = createVisitor(service);
  assert.equal((await signIn(email, goodPassword, visitor)).status, 200);
  return { ...visitor, email };
}

test("after sign-up, signing in requires confirming the address through the mailed link", async () => {
  const email = someEmail();
  const visitor = createVisitor(service);
  const made = await signUp(email, {}, service, visitor);
  assert.deepEqual([made.status, made.body], [201, { user: null }]);
  assert.equal((await visitor.get("/v1/account")).status, 401);
  const first = await mail.next(email);
  assert.ok(linkIn(first).startsWith(`${publicUrl}/confirm-email?token=`));
  const early = await signIn(email);
  assert.deepEqual([early.status, early.body.code, early.headers.getSetCookie()], [403, "email_not_verified", []]);
  const again = await mail.next(email); // the first one may have been lost
  assert.equal((await confirm(`${tokenOf(again)}x`)).body.code, "link_invalid");
  assert.equal((await reset(tokenOf(again))).body.code, "link_invalid", "the token confirms the address and nothing else");
  assert.equal((await confirm(tokenOf(again))).status, 204);
  const answer = await signIn(email, goodPassword, visitor);
  assert.deepEqual([answer.status, answer.body.user.email_verified], [200, true]);
  assert.ok(!service.logged().includes(tokenOf(again)), "the token is not logged");
});

test("the owner of an address can't confirm an account that someone else created with it, but can take the account over", async () => {
  const email = someEmail();
  await signUp(email, { password: "the stranger's password" });
  const token = tokenOf(await mail.next(email));
  const refused = await confirm(token);
  assert.deepEqual([refused.status, refused.body.details], [400, [{ parameter: "password", message: "password is wrong" }]]);
  assert.equal((await signIn(email, "the stranger's password")).body.code, "email_not_verified");
  await mail.next(email);
  await forgot(email);
  assert.equal((await reset(tokenOf(await mail.next(email)))).status, 204);
  assert.equal((await signIn(email, "the stranger's password")).body.code, "invalid_credentials");
  assert.equal((await signIn(email, newPassword)).status, 200);
});

test("sign-in: a wrong password doesn't reveal whether the address is confirmed, and sends no mail", async () => {
  const email = someEmail();
  await signUp(email);
  await mail.next(email);
  assert.equal((await signIn(email, "not the password")).body.code, "invalid_credentials");
  await forgot(email);
  assert.match((await mail.next(email)).headers, /new password/);
});

test("signing up with an existing address gets the same response; the owner of the address gets a different mail", async () => {
  const { email } = await confirmed();
  const known = await signUp(email, { password: newPassword });
  const unknown = await signUp(someEmail());
  assert.deepEqual([known.status, known.body], [unknown.status, unknown.body]);
  const message = await mail.next(email);
  assert.match(message.headers, /already have an account/);
  assert.equal((await signIn(email, newPassword)).body.code, "invalid_credentials");
  assert.equal((await signIn(email)).status, 200);
});

test("the mailed link for a forgotten password works once and ends all sessions", async () => {
  const { email, ...visitor } = await confirmed();
  const asked = await forgot(` ${email.toUpperCase()} `);
  const unknown = await forgot(someEmail());
  assert.deepEqual([asked.status, asked.body], [unknown.status, unknown.body]);
  assert.equal(asked.status, 204);
  const message = await mail.next(email);
  assert.ok(linkIn(message).startsWith(`${publicUrl}/reset-password?token=`));
  const token = tokenOf(message);
  assert.equal((await confirm(token)).body.code, "link_invalid", "the token sets the password and nothing else");
  assert.equal((await reset(token, "short")).body.code, "invalid_parameters");
  assert.equal((await reset(token)).status, 204);
  assert.equal((await reset(token, goodPassword)).body.code, "link_invalid");
  assert.equal((await visitor.get("/v1/account")).status, 401);
  assert.equal((await signIn(email)).status, 401);
  assert.equal((await signIn(email, newPassword)).status, 200);
  assert.ok(!service.logged().includes(token), "the token is not logged");
});

test("password links expire, and can't be used by somebody who can read the database", async () => {
  const { email } = await confirmed();
  await forgot(email);
  const token = tokenOf(await mail.next(email));
  const { rows } = await service.pool.query(
    "select identifier from verifications where value = (select id::text from users where email = $1)",
    [email],
  );
  assert.equal(rows.length, 1);
  const [{ identifier }] = rows;
  assert.ok(!identifier.includes(token));
  for (const stored of [identifier, identifier.replace("reset-password:", "")])
    assert.equal((await reset(stored)).body.code, "link_invalid");
  await service.pool.query("update verifications set expires_at = now() where identifier = $1", [identifier]);
  assert.equal((await reset(token)).body.code, "link_invalid");
});

test("choosing a password through the mailed link confirms the address and replaces a squatter's password", async () => {
  const email = someEmail();
  await signUp(email, { password: "the squatter's password" });
  await mail.next(email);
  await forgot(email);
  assert.equal((await reset(tokenOf(await mail.next(email)))).status, 204);
  assert.equal((await signIn(email, "the squatter's password")).body.code, "invalid_credentials");
  assert.equal((await signIn(email, newPassword)).status, 200);
});

longTest(
  "accounts that only sign in through an identity provider can't get a password by mail, and disabled accounts get no mail",
  async () => {
    const external = await createUser(service.database, someEmail());
    await service.pool.query("insert into identities (user_id, provider_id, account_id) values ($1, 'idp', $2)", [
      external.id,
      crypto.randomUUID(),
    ]);
    assert.equal((await forgot(external.email)).status, 204);
    const message = await mail.next(external.email);
    assert.match(message.headers, /no password/);
    assert.equal(linkIn(message), `${publicUrl}/sign-in`);

    const { email } = await confirmed();
    await service.pool.query("update users set disabled_at = now() where email = $1", [email]);
    assert.equal((await forgot(email)).status, 204);
    await service.pool.query("update users set disabled_at = null where email = $1", [email]);
    assert.equal((await forgot(email)).status, 204);
    await mail.next(email);
    assert.equal(mail.received.filter(({ to, headers }) => to === email && headers.includes("new password")).length, 1);
  },
);

longTest("mail: at most five per address and hour, and the response doesn't reveal the limit", async () => {
  const { email } = await confirmed(); // one mail
  for (let turn = 0; turn < 6; turn++) assert.equal((await forgot(email)).status, 204);
  const other = someEmail();
  await signUp(other);
  await mail.next(other); // queued later, so the others have arrived by now
  assert.equal(mail.received.filter(({ to }) => to === email).length, 5);
});

test("an unresponsive mail server doesn't delay requests", async (t) => {
  const silent = await startMailServer(t, { onMailFrom() {} });
  const times = closingTimes(30_000);
  const on = await startWithVisitors(t, silent.settings, { closing: { ...times, deadlineMs: { ...times.deadlineMs, flush: 1_000 } } });
  assert.equal((await signUp(someEmail(), {}, on)).status, 201);
  assert.equal((await forgot(someEmail(), on)).status, 204);
  assert.equal(silent.received.length, 0);
});

longTest("an invitation is mailed, and signing up with it requires no further mail", async () => {
  const email = someEmail();
  const admin = createVisitor(service);
  const { email: adminEmail } = await createUser(service.database, someEmail());
  await resetPassword(service.database, adminEmail, goodPassword);
  await service.pool.query("update users set email_verified = true where email = $1", [adminEmail]);
  await setRole(service.database, adminEmail, "admin");
  assert.equal((await signIn(adminEmail, goodPassword, admin)).status, 200);
  const { body } = await admin.post("/v1/admin/invitations", { email, plan_id: "pro" });
  const message = await mail.next(email);
  assert.deepEqual([linkIn(message), body.mailed], [body.link, true]);
  assert.equal((await admin.post("/v1/admin/invitations", {})).body.mailed, false);

  const visitor = createVisitor(service);
  const invitation = new URL(body.link).searchParams.get("invitation");
  const made = await signUp(email, { invitation }, service, visitor);
  assert.deepEqual([made.status, made.body.user.email_verified], [201, true]);
  assert.equal((await visitor.get("/v1/account")).body.plan.id, "pro");
  assert.equal(mail.received.filter(({ to }) => to === email).length, 1);
});

longTest("creating the first account through the link in the log requires no mail, because the mail server may not work yet", async (t) => {
  const own = await startMailServer(t);
  const on = await startWithVisitors(t, { ...own.settings, SIGN_UP: "invite" });
  const link = (await firstAccountLink(on.database, on.services.config)) ?? "";
  const made = await signUp(someEmail(), { invitation: new URL(link).searchParams.get("invitation") }, on);
  assert.deepEqual([made.status, made.body.user.role, made.body.user.email_verified], [201, "admin", true]);
  assert.equal(own.received.length, 0);
});

longTest("with mail, an address in SIGN_UP_DOMAINS must be confirmed before its account can be used", async (t) => {
  const own = await startMailServer(t);
  const on = await startWithVisitors(t, { ...own.settings, SIGN_UP: "invite", SIGN_UP_DOMAINS: "example.org" });
  const email = someEmail("example.org");
  assert.deepEqual((await signUp(email, {}, on)).body, { user: null });
  assert.equal((await createVisitor(on).post("/v1/auth/sign-in", { email, password: goodPassword })).body.code, "email_not_verified");
  assert.equal((await signUp(someEmail(), {}, on)).body.code, "sign_up_refused");
});

longTest("a signed-in user whose address is unconfirmed because mail was configured later can request a link", async (t) => {
  const without = await startWithVisitors(t);
  const person = await signedUp(without);
  const own = await startMailServer(t);
  const { startReplica } = await import("../../support/service.ts");
  const withMail = await startReplica(t, without, own.settings);
  const visitor = createVisitor(withMail);
  for (const [name, value] of person.cookies) visitor.cookies.set(name, value);
  assert.equal((await visitor.get("/v1/account")).body.user.email_verified, false);
  assert.equal((await visitor.post("/v1/account/email/confirmation")).status, 204);
  assert.equal(
    (await visitor.post("/v1/auth/email/confirm", { token: tokenOf(await own.next(person.email)), password: goodPassword })).status,
    204,
  );
  assert.equal((await visitor.get("/v1/account")).body.user.email_verified, true);
  assert.equal((await visitor.post("/v1/account/email/confirmation")).body.code, "not_possible");
});

test("without mail, links issued by operators set passwords, and the sign-in methods endpoint says so", async (t) => {
  const without = await startWithVisitors(t);
  const person = await signedUp(without);
  assert.equal((await person.get("/v1/auth/methods")).body.mail, false);
  assert.equal((await createVisitor(service).get("/v1/auth/methods")).body.mail, true);
  assert.equal((await forgot(person.email, without)).body.code, "not_possible");
  const link = new URL(await createResetLink(without.database, person.email, publicUrl));
  assert.equal(`${link.origin}${link.pathname}`, `${publicUrl}/reset-password`);
  const body = { token: link.searchParams.get("token"), password: newPassword };
  assert.equal((await person.post("/v1/auth/password/reset", body)).status, 204);
  assert.equal((await person.get("/v1/account")).status, 401);
  const credentials = { email: person.email, password: newPassword };
  assert.equal((await createVisitor(without).post("/v1/auth/sign-in", credentials)).status, 200);
});

test("however a password was changed, earlier links and pending sign-ins become invalid", async () => {
  const link = async (email: string) => new URL(await createResetLink(service.database, email, publicUrl)).searchParams.get("token") ?? "";
  const third = "a third password that is long";
  const { email, ...visitor } = await confirmed();
  const [used, byLink] = [await link(email), await link(email)];
  assert.equal((await reset(used)).status, 204);
  assert.equal((await reset(byLink)).body.code, "link_invalid", "the password was set by another link");

  const byCommand = await link(email);
  await resetPassword(service.database, email, goodPassword);
  assert.equal((await reset(byCommand)).body.code, "link_invalid", "the password was set by a command");

  const bySettings = await link(email);
  assert.equal((await signIn(email, goodPassword, visitor)).status, 200);
  const changed = await visitor.post("/v1/account/password", { current_password: goodPassword, new_password: third });
  assert.equal(changed.status, 204);
  assert.equal((await reset(bySettings)).body.code, "link_invalid", "the password was changed on the settings page");

  const afterwards = await link(email);
  assert.equal((await visitor.post("/v1/account/delete", { password: third })).status, 204);
  assert.equal((await reset(afterwards)).body.code, "link_invalid", "the account is gone");
});
