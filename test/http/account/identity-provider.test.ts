/** Sign-in through an external identity provider: a real one, started by the test. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { promisify } from "node:util";
import { Provider } from "oidc-provider";
import { freePort } from "../../../scripts/stack/ports.ts";
import { createInvitation } from "../../../src/accounts/people/invitations.ts";
import { eventually } from "../../support/eventually.ts";
import type { Scope } from "../../support/scope.ts";
import type { TestService } from "../../support/service.ts";
import { createVisitor, goodPassword, publicUrl, startWithVisitors, type Visitor } from "../../support/visitor.ts";

interface ProviderUser {
  sub: string;
  email: string;
  /** A boolean according to the standard; some providers send other values. */
  email_verified: unknown;
  name?: string;
}

interface ProviderSettings {
  person: ProviderUser;
  /** Default: a free port. */
  port?: number;
  secret?: string;
  /** Changes the responses of the token endpoint and the UserInfo endpoint. */
  edit?: (route: string, body: Record<string, unknown>) => void;
}

/** A provider that signs in `person` without a prompt. It is stopped when `t` ends. */
async function startProvider(t: Scope, { port = 0, secret, person, edit }: ProviderSettings) {
  const server: Server = createServer();
  await once(server.listen(port, "127.0.0.1"), "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "tintype",
        redirect_uris: [`${publicUrl}/v1/auth/callback/idp`],
        ...(secret ? { client_secret: secret } : { token_endpoint_auth_method: "none" }),
      },
    ],
    claims: { email: ["email", "email_verified"], profile: ["name"] },
    findAccount: () => ({ accountId: person.sub, claims: () => ({ ...person }) }),
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ["one of the provider's own keys"] },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
  });
  provider.use(async (context, next) => {
    await next();
    if (edit && context.oidc && context.body && typeof context.body === "object") edit(context.oidc.route, context.body);
  });
  const respond = provider.callback();
  const requests: string[] = [];
  server.on("request", async (request, response) => {
    requests.push(request.url ?? "");
    if (!request.url?.startsWith("/interaction/")) return respond(request, response);
    const { params } = await provider.interactionDetails(request, response);
    const grant = new provider.Grant({ accountId: person.sub, clientId: String(params.client_id) });
    grant.addOIDCScope("openid email profile");
    await provider.interactionFinished(request, response, { login: { accountId: person.sub }, consent: { grantId: await grant.save() } });
  });
  return { issuer, requests };
}

/** Follows the redirects from our sign-in page through the provider. Returns the path of the callback. */
async function followRedirects(url: string): Promise<string> {
  const cookies = new Map<string, string>();
  for (let next = url; ; ) {
    if (next.startsWith(publicUrl)) return next.slice(publicUrl.length);
    const response = await fetch(next, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    assert.ok(location, `${next}: ${response.status} ${await response.text()}`);
    next = new URL(location, next).href;
  }
}

/** Signs in through the provider, and returns the final redirect. */
async function signIn(visitor: Visitor, returnTo = "/keys?new=1", more: object = {}): Promise<string> {
  const { status, body } = await visitor.post("/v1/auth/sign-in/idp", { return_to: returnTo, ...more });
  assert.equal(status, 200, JSON.stringify(body));
  const back = await visitor.get(await followRedirects(body.url));
  assert.equal(back.status, 302);
  return back.headers.get("location") ?? "";
}

function providerUser(more: Partial<ProviderUser> = {}): ProviderUser {
  return { sub: crypto.randomUUID(), email: `grace-${crypto.randomUUID()}@example.com`, email_verified: true, name: "Grace", ...more };
}

const settingsOf = (issuer: string, secret = "") => ({
  WEB_IDP_CLIENT_ID: "tintype",
  WEB_IDP_ISSUER: issuer,
  WEB_IDP_CLIENT_SECRET: secret,
});

test("without a client secret, sign-in uses PKCE and a nonce, and creates an account that later sign-ins reuse", async (t) => {
  const person = providerUser();
  const { issuer, requests } = await startProvider(t, { person });
  const service = await startWithVisitors(t, settingsOf(issuer));
  const visitor = createVisitor(service);
  assert.deepEqual((await visitor.get("/v1/auth/methods")).body.providers, [{ id: "idp", name: "127.0.0.1" }]);
  assert.equal(await signIn(visitor), `${publicUrl}/keys?new=1`);
  const authorization = new URL(requests.find((path) => path.startsWith("/auth?")) ?? "", issuer).searchParams;
  assert.equal(authorization.get("code_challenge_method"), "S256");
  assert.ok(authorization.get("nonce") && authorization.get("state"));
  const { user } = (await visitor.get("/v1/account")).body;
  assert.deepEqual([user.email, user.name, user.email_verified, user.has_password], [person.email, "Grace", true, false]);

  const again = createVisitor(service);
  await signIn(again);
  assert.equal((await again.get("/v1/account")).body.user.id, user.id);
  await assertNoProviderTokens(service, user.id);

  const wrong = await again.post("/v1/account/delete", { email: "another@example.com" });
  assert.deepEqual([wrong.status, wrong.body.details[0].parameter], [400, "email"]);
  assert.equal(
    (await again.post("/v1/account/password", { current_password: goodPassword, new_password: goodPassword })).body.code,
    "not_possible",
  );
  assert.equal((await again.post("/v1/account/delete", { email: person.email })).status, 204);
  assert.equal((await visitor.get("/v1/account")).status, 401);
});

async function assertNoProviderTokens({ pool }: TestService, userId: string): Promise<void> {
  const { rows } = await pool.query("select access_token, refresh_token, id_token from identities where user_id = $1", [userId]);
  assert.deepEqual(rows, [{ access_token: null, refresh_token: null, id_token: null }]);
}

test("with a client secret, sign-in works", async (t) => {
  const person = providerUser();
  const { issuer } = await startProvider(t, { person, secret: "the client's secret" });
  const service = await startWithVisitors(t, settingsOf(issuer, "the client's secret"));
  const visitor = createVisitor(service);
  await signIn(visitor);
  assert.equal((await visitor.get("/v1/account")).body.user.email, person.email);
  const wrong = await startWithVisitors(t, settingsOf(issuer, "another secret"));
  assert.equal(await signIn(createVisitor(wrong)), `${publicUrl}/sign-in?error=sign_in_failed`);
});

test("a provider that was down at startup can be used once it is up", async (t) => {
  const person = providerUser();
  const port = await freePort();
  const service = await startWithVisitors(t, settingsOf(`http://127.0.0.1:${port}`));
  const visitor = createVisitor(service);
  for (let turn = 0; turn < 2; turn++) {
    const { status, body, headers } = await visitor.post("/v1/auth/sign-in/idp", {});
    assert.deepEqual([status, body.code], [503, "unavailable"]);
    assert.ok(headers.get("retry-after"));
  }
  await startProvider(t, { port, person });
  assert.equal(await signIn(visitor), `${publicUrl}/keys?new=1`);
  assert.equal((await visitor.get("/v1/account")).body.user.email, person.email);
});

test("a provider's response that never ends is refused after a megabyte, and its connection is closed", async (t) => {
  let sent = 0;
  const server = createServer(async (_, response) => {
    response.setHeader("content-type", "application/json");
    for (; !response.destroyed; sent += 65_536)
      if (!response.write(" ".repeat(65_536))) await Promise.race([once(response, "drain"), once(response, "close")]);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const service = await startWithVisitors(t, settingsOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  const { status } = await createVisitor(service).post("/v1/auth/sign-in/idp", { return_to: "/keys" });
  await eventually("the connection is closed", async () => (await promisify(server.getConnections.bind(server))()) === 0);
  assert.equal(status, 503);
  assert.ok(sent < 20_000_000, `${sent} bytes were sent`);
});

test("an unverified e-mail address at the provider can't take over an account with a password", async (t) => {
  for (const email_verified of [true, false]) {
    const person = providerUser({ email_verified });
    const { issuer } = await startProvider(t, { person });
    const service = await startWithVisitors(t, settingsOf(issuer));
    const owner = createVisitor(service);
    await owner.post("/v1/auth/sign-up", { name: "Owner", email: person.email, password: goodPassword });
    const visitor = createVisitor(service);
    assert.equal(await signIn(visitor), `${publicUrl}/sign-in?error=account_not_linked`);
    assert.equal((await visitor.get("/v1/account")).status, 401);
  }
});

test('an address counts as verified only if the claim is true or "true"', async (t) => {
  const person = providerUser();
  const { issuer } = await startProvider(t, { person });
  const service = await startWithVisitors(t, settingsOf(issuer));
  const owner = createVisitor(service);
  await owner.post("/v1/auth/sign-up", { name: "Owner", email: person.email, password: goodPassword });
  await service.pool.query("update users set email_verified = true where email = $1", [person.email]);
  for (const claim of ["false", "yes", "TRUE", "1", 1, [], {}, null, undefined, ""]) {
    person.email_verified = claim;
    const visitor = createVisitor(service);
    assert.equal(await signIn(visitor), `${publicUrl}/sign-in?error=account_not_linked`, JSON.stringify(claim));
    assert.equal((await visitor.get("/v1/account")).status, 401);
  }
  person.email_verified = "true";
  const visitor = createVisitor(service);
  assert.equal(await signIn(visitor), `${publicUrl}/keys?new=1`);
  assert.equal((await visitor.get("/v1/account")).body.user.email, person.email);
});

test('a new account\'s address is unverified if the claim is "false"', async (t) => {
  const { issuer } = await startProvider(t, { person: providerUser({ email_verified: "false" }) });
  const visitor = createVisitor(await startWithVisitors(t, settingsOf(issuer)));
  await signIn(visitor);
  assert.equal((await visitor.get("/v1/account")).body.user.email_verified, false);
});

test("a token response without an ID token is refused, as is a UserInfo response for another subject or without an address", async (t) => {
  let edit: ProviderSettings["edit"];
  const { issuer } = await startProvider(t, { person: providerUser(), edit: (route, body) => edit?.(route, body) });
  const service = await startWithVisitors(t, settingsOf(issuer));
  const edits: Record<string, NonNullable<typeof edit>> = {
    "no id_token": (route, body) => route === "token" && delete body.id_token,
    "another subject": (route, body) => route === "userinfo" && Object.assign(body, { sub: "another" }),
    "an address that is not a string": (route, body) => route === "userinfo" && Object.assign(body, { email: ["a@example.com"] }),
    "several addresses": (route, body) => route === "userinfo" && Object.assign(body, { email: "a@example.net, b@example.com" }),
    "a control character": (route, body) => route === "userinfo" && Object.assign(body, { email: "a\u0000b@example.net" }),
    "a hidden character": (route, body) => route === "userinfo" && Object.assign(body, { email: "a\u202eb@example.net" }),
    "an address with a line break": (route, body) =>
      route === "userinfo" && Object.assign(body, { email: "a@example.com\r\nBcc: b@example.com" }),
  };
  for (const [name, change] of Object.entries(edits)) {
    edit = change;
    const visitor = createVisitor(service);
    assert.equal(await signIn(visitor), `${publicUrl}/sign-in?error=sign_in_failed`, name);
    assert.equal((await visitor.get("/v1/account")).status, 401, name);
  }
  edit = undefined;
  assert.equal(await signIn(createVisitor(service)), `${publicUrl}/keys?new=1`);
});

test("if both sides have verified the address, either sign-in method leads to the same account", async (t) => {
  const person = providerUser();
  const { issuer } = await startProvider(t, { person });
  const service = await startWithVisitors(t, settingsOf(issuer));
  const owner = createVisitor(service);
  const { user } = (await owner.post("/v1/auth/sign-up", { name: "Owner", email: person.email, password: goodPassword })).body;
  await service.pool.query("update users set email_verified = true where id = $1", [user.id]);
  const visitor = createVisitor(service);
  await signIn(visitor);
  assert.deepEqual((await visitor.get("/v1/account")).body.user, { ...user, email_verified: true });
});

test("a disabled user isn't signed in, and sees the reason", async (t) => {
  const person = providerUser();
  const { issuer } = await startProvider(t, { person });
  const service = await startWithVisitors(t, settingsOf(issuer));
  await signIn(createVisitor(service));
  await service.pool.query("update users set disabled_at = now() where email = $1", [person.email]);
  const visitor = createVisitor(service);
  assert.equal(await signIn(visitor), `${publicUrl}/sign-in?error=account_disabled`);
  assert.equal((await visitor.get("/v1/account")).status, 401);
});

test("a callback that doesn't belong to a sign-in started in this browser redirects to the sign-in page", async (t) => {
  const { issuer } = await startProvider(t, { person: providerUser() });
  const service = await startWithVisitors(t, settingsOf(issuer));
  const visitor = createVisitor(service);
  const { body } = await visitor.post("/v1/auth/sign-in/idp", {});
  const callback = await followRedirects(body.url);
  const callbacks = [
    callback,
    "/v1/auth/callback/idp",
    "/v1/auth/callback/idp?code=x&state=y",
    "/v1/auth/callback/idp?error=access_denied",
  ];
  for (const path of callbacks) {
    const otherBrowser = createVisitor(service);
    const { status, headers } = await otherBrowser.get(path);
    assert.equal(status, 302);
    assert.equal(headers.get("location"), `${publicUrl}/sign-in?error=sign_in_failed`, path);
    assert.equal((await otherBrowser.get("/v1/account")).status, 401);
  }
  for (const path of ["https://evil.example", "//evil.example", "/\\evil.example", "/\t/evil.example", "keys", ""]) {
    const { status } = await visitor.post("/v1/auth/sign-in/idp", { return_to: path });
    assert.equal(status, 400, path);
  }
});

test("without a configured provider, provider sign-in is not offered", async (t) => {
  const visitor = createVisitor(await startWithVisitors(t));
  assert.deepEqual((await visitor.get("/v1/auth/methods")).body.providers, []);
  assert.equal((await visitor.post("/v1/auth/sign-in/idp", {})).status, 404);
});

/** Creates an invitation and returns its token. */
async function invite({ database }: TestService, email?: string): Promise<string> {
  const { token } = await createInvitation(database, { email, planId: "pro", expiresAt: new Date(Date.now() + 60_000) });
  return token;
}

test("with sign-up by invitation, signing in through the provider requires an invitation, which works once", async (t) => {
  const person = providerUser();
  const { issuer } = await startProvider(t, { person });
  const service = await startWithVisitors(t, { ...settingsOf(issuer), SIGN_UP: "invite" });
  const stranger = createVisitor(service);
  assert.equal(await signIn(stranger), `${publicUrl}/sign-in?error=sign_up_refused`);
  assert.equal((await stranger.get("/v1/account")).status, 401);
  assert.equal((await service.pool.query("select 1 from users")).rowCount, 0);

  const invited = createVisitor(service);
  const invitation = await invite(service, person.email);
  assert.equal(await signIn(invited, "/keys", { invitation }), `${publicUrl}/keys`);
  assert.equal((await invited.get("/v1/account")).body.plan.id, "pro");
  assert.ok(![...invited.cookies.values()].includes(invitation), "the cookie is removed");
  const again = await createVisitor(service).post("/v1/auth/sign-in/idp", { invitation });
  assert.deepEqual([again.status, again.body.code], [403, "invitation_invalid"]);
  assert.equal(await signIn(createVisitor(service)), `${publicUrl}/keys?new=1`, "an existing account needs no invitation");
});

test("an invitation for another address is refused at the provider's callback, and remains usable", async (t) => {
  const { issuer } = await startProvider(t, { person: providerUser() });
  const service = await startWithVisitors(t, { ...settingsOf(issuer), SIGN_UP: "invite" });
  const email = `invited-${crypto.randomUUID()}@example.com`;
  const invitation = await invite(service, email);
  assert.equal(await signIn(createVisitor(service), "/", { invitation }), `${publicUrl}/sign-in?error=invitation_invalid`);
  const { status } = await createVisitor(service).post("/v1/auth/sign-up", { name: "Ada", email, password: goodPassword, invitation });
  assert.equal(status, 201);
});

test("addresses in a listed domain can sign up without an invitation if the provider has verified them", async (t) => {
  for (const [email_verified, path] of [
    [true, "/keys?new=1"],
    [false, "/sign-in?error=sign_up_refused"],
  ] as const) {
    const { issuer } = await startProvider(t, { person: providerUser({ email_verified }) });
    const service = await startWithVisitors(t, { ...settingsOf(issuer), SIGN_UP: "invite", SIGN_UP_DOMAINS: "example.com" });
    assert.equal(await signIn(createVisitor(service)), `${publicUrl}${path}`);
  }
});
