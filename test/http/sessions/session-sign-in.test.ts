/** Page sessions that sign in by steps: created, used, signed in again when the application has ended them. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { createApiKey } from "../../accounts/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { fileScope } from "../../support/scope.ts";
import { startService } from "../../support/service.ts";
import { createSite } from "../../support/site.ts";
import { assertNowhere, storesOf } from "../../support/stores.ts";

const secrets = { user: "ann-very-secret", password: "pässword & very/secret" };

/** An application with a form, a token against forged requests, and sessions on its side. */
const app = {
  sessions: new Set<string>(),
  tokens: new Set<string>(),
  signIns: 0,
  attempts: 0,
  isOpen: true,
  /** Status of the form after a wrong password. */
  refusal: 200,
  expire: () => app.sessions.clear(),
};
const cookieOf = (header: string | undefined) => /(?:^|; )sid=([^;]*)/.exec(header ?? "")?.[1] ?? "";
const html = (body: string) => `<!doctype html><title>App</title>${body}`;

function form(problem = ""): string {
  const token = randomUUID();
  app.tokens.add(token);
  return html(`<h1>Sign in</h1><p>${problem}</p><form method=post action=/login><input name=user id=user><input type=password name=password id=password>
    <input type=hidden name=token value=${token}><button>Sign in</button></form>`);
}

const scope = fileScope();
const site = await createSite(scope, {
  "/login": async (request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    if (request.method === "GET") return void response.end(form());
    app.attempts += 1;
    let body = "";
    for await (const part of request) body += part;
    const sent = new URLSearchParams(body);
    const isRight =
      sent.get("user") === secrets.user && sent.get("password") === secrets.password && app.tokens.has(sent.get("token") ?? "");
    if (!isRight || !app.isOpen)
      return void response.writeHead(app.refusal).end(form(`Wrong: ${sent.get("user")} with ${sent.get("password")}`));
    app.signIns += 1;
    const sid = randomUUID();
    app.sessions.add(sid);
    response.writeHead(303, { "set-cookie": `sid=${sid}; HttpOnly; Path=/; SameSite=Lax`, location: "/home" }).end();
  },
  "/broken": (_request, response) =>
    response.writeHead(500, { "content-type": "text/html" }).end(html("<h1>Internal server error</h1><p>Try again later.</p>")),
  "/home": ({ headers }, response) => {
    if (!app.sessions.has(cookieOf(headers.cookie))) return void response.writeHead(302, { location: "/login" }).end();
    response
      .setHeader("content-type", "text/html")
      .end(html("<h1>Orders</h1><p>Number 4711 has been sent on Tuesday, and arrives on Friday.</p>"));
  },
});
const url = `${site.origin}/home`;
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: "127.0.0.1", MAX_CONCURRENT_SCREENSHOTS: "2" });

// biome-ignore lint/suspicious/noExplicitAny: answers are read loosely
type Json = any;

async function send(method: string, path: string, key: string, body?: object) {
  const response = await fetch(`${service.origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, json: (text && JSON.parse(text)) as Json, text, headers: response.headers };
}

const steps = [
  { type: "#user", text: { secret: "user" } },
  { type: "#password", text: { secret: "password" } },
  { press: "Enter" },
  { wait: "h1" },
];
const signIn = { name: "shop", url: `${site.origin}/login`, steps, secrets };

async function createSession(key: string, more: object = {}) {
  const answer = await send("POST", "/v1/sessions", key, { ...signIn, ...more });
  assert.equal(answer.status, 201, answer.text);
  return answer;
}

async function seen(key: string, options: Record<string, string> = {}) {
  const response = await service.take({ url, api_key: key, format: "text", session: "shop", ...options });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return { text, verdict: response.headers.get("x-verdict"), warnings: response.headers.get("x-warnings") ?? "" };
}

const sessionOf = async (key: string) => (await send("GET", "/v1/sessions/shop", key)).json;

test("a session signs in by steps when it is saved, and captures see the page behind the sign-in", async () => {
  const { key } = await service.createAccount();
  const { json, headers } = await createSession(key);
  assert.deepEqual([json.hosts, json.version, json.signs_in, json.sign_in_error], [["127.0.0.1"], 2, true, null]);
  assert.ok(Date.parse(json.signed_in_at) > 0);
  assert.equal(headers.get("location"), "/v1/sessions/shop");
  const { text, verdict, warnings } = await seen(key);
  assert.match(text, /Number 4711/);
  assert.deepEqual([verdict, warnings], ["ok", ""]);
  await eventually("the sign-in is recorded as a capture of its own", async () => {
    const recorded = "select count(*)::int as count from screenshots where url like $1 and status = 'done'";
    return (await service.pool.query(recorded, [`${site.origin}%`])).rows[0].count === 2;
  });
});

test("a session that the application has ended signs in again by itself, once for all captures that need it", async () => {
  const { key, userId } = await service.createAccount();
  await createSession(key);
  app.expire();
  const before = app.signIns;
  const one = await seen(key);
  assert.match(one.text, /Number 4711/);
  assert.match(one.warnings, /the session was no longer signed in, and it was signed in again/);
  assert.equal(app.signIns - before, 1);
  assert.equal((await sessionOf(key)).version, 3);
  app.expire();
  const taken = await Promise.all(["1", "2", "3", "4"].map((width) => seen(key, { width: `6${width}0` })));
  for (const { text } of taken) assert.match(text, /Number 4711/);
  assert.equal(app.signIns - before, 2);
  app.expire();
  const { json } = await send("POST", "/v1/captures", key, {
    url,
    session: "shop",
    outputs: [{ format: "text" }, { width: 60, height: 60 }, { format: "text", user_agent: "Another" }],
  });
  const [first, , third] = json.outputs;
  for (const { url: link } of [first, third]) assert.match(await (await fetch(link)).text(), /Number 4711/);
  assert.match(first.warnings.join(), /it was signed in again/);
  assert.equal(app.signIns - before, 3);
  const { rows } = await service.pool.query(
    "select action, via from audit_entries where account_id = $1 and action like 'session.%' order by id",
    [userId],
  );
  assert.deepEqual(
    rows.map(({ action, via }) => `${action} ${via}`),
    ["session.signed_in service", "session.created api", ...Array(3).fill("session.signed_in service")],
  );
});

test("a sign-in that fails saves nothing, leaves an existing session as it was, and says why without the secrets", async () => {
  const { key } = await service.createAccount();
  const wrong = { secrets: { ...secrets, password: "wr0ng-very-secret\ud800" } };
  const refused = await send("POST", "/v1/sessions", key, { ...signIn, ...wrong });
  assert.deepEqual([refused.status, refused.json.code], [400, "sign_in_failed"]);
  const stillSignedOut =
    "The session could not sign in: after the steps, the page still asks for a sign-in. Check the user name and password, and that the steps send the form and wait for the next page.";
  assert.equal(refused.json.message, stillSignedOut);
  app.refusal = 401;
  try {
    assert.equal((await send("POST", "/v1/sessions", key, { ...signIn, ...wrong })).json.message, stillSignedOut);
  } finally {
    app.refusal = 200;
  }
  const failing = await send("POST", "/v1/sessions", key, { ...signIn, url: `${site.origin}/broken`, steps: [{ wait: "h1" }] });
  assert.equal(
    failing.json.message,
    "The session could not sign in: after the steps, the page shows an error. The target returned status 500 Internal Server Error.",
  );
  assert.deepEqual((await send("GET", "/v1/sessions", key)).json.sessions, []);
  const missing = await send("POST", "/v1/sessions", key, { ...signIn, steps: [{ type: "#nowhere", text: { secret: "user" } }] });
  assert.match(missing.json.message, /could not sign in: No visible element matches the steps selector #nowhere/);
  await createSession(key);
  assert.equal((await send("POST", "/v1/sessions", key, { ...signIn, ...wrong })).json.code, "sign_in_failed");
  assert.match((await seen(key)).text, /Number 4711/);
  const kept = await sessionOf(key);
  assert.deepEqual([kept.signs_in, kept.sign_in_error, kept.signed_in_at !== null], [true, null, true]);
});

test("if a session can't sign in again, the capture shows the sign-in page with the reason, and it is tried a bounded number of times", async () => {
  const { key } = await service.createAccount();
  await createSession(key);
  app.expire();
  app.isOpen = false;
  const before = app.attempts;
  try {
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      const { verdict, warnings } = await seen(key);
      assert.equal(verdict, "login_wall");
      const reason = attempt <= 5 ? /signing in again failed: after the steps, the page still asks/ : /signed in 6 times within an hour/;
      assert.match(warnings, reason, `attempt ${attempt}`);
    }
    assert.equal(app.attempts - before, 5, "one of the six was for saving the session");
    assert.match((await sessionOf(key)).sign_in_error, /after the steps, the page still asks for a sign-in/);
    const unwanted = await service.take({ url, api_key: key, session: "shop", fail_on_verdict: "login_wall" });
    assert.equal((await unwanted.json()).code, "unwanted_page");
  } finally {
    app.isOpen = true;
  }
  await createSession(key);
  assert.match((await seen(key)).text, /Number 4711/);
});

test("a target-restricted key can't sign in elsewhere", async () => {
  const { userId } = await service.createAccount();
  const { rows } = await service.pool.query("select email from users where id = $1", [userId]);
  const bound = await createApiKey(service.database, rows[0].email, { targets: ["example.com"] });
  const refused = await send("POST", "/v1/sessions", bound, signIn);
  assert.equal(refused.json.code, "target_not_allowed");
  assert.deepEqual((await send("GET", "/v1/sessions", bound)).json.sessions, []);
});

test("no secret of a sign-in is in any table, log line, Redis key, stored file, explanation or error", async (t) => {
  const { key } = await service.createAccount();
  const answers = [await createSession(key)];
  app.expire();
  const taking = { url, session: "shop", explain: true, is_cached: true, response_type: "json" };
  answers.push(await send("POST", "/v1/screenshots/take", key, taking));
  app.expire();
  const queued = await send("POST", "/v1/captures", key, { url, session: "shop", async: true, outputs: [{ format: "png" }] });
  answers.push(queued, await send("GET", `/v1/captures/${queued.json.id}?wait=60`, key));
  app.expire();
  app.isOpen = false;
  try {
    answers.push(await send("POST", "/v1/screenshots/take", key, { ...taking, is_cached: false }));
    answers.push(await send("POST", "/v1/sessions", key, { ...signIn, name: "other" }));
    answers.push(await send("GET", "/v1/sessions", key));
  } finally {
    app.isOpen = true;
  }
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 200, 202, 200, 200, 400, 200],
  );
  const texts = answers.map(({ text, headers }) => text + JSON.stringify([...headers]));
  assertNowhere(Object.values(secrets), { ...(await storesOf(t, service)), answers: texts });
});
