/** Page sessions that sign in by steps: created, used, signed in again when the application has ended them. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { createApiKey } from "../../accounts/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { longOnly } from "../../support/long-only.ts";
import { fileScope } from "../../support/scope.ts";
import { startReplica, startService } from "../../support/service.ts";
import { createSite } from "../../support/site.ts";
import { assertNowhere, storesOf } from "../../support/stores.ts";

const longTest = longOnly(test);
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
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: "127.0.0.1,localhost", MAX_CONCURRENT_SCREENSHOTS: "3" });

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
  assert.deepEqual([json.hosts, json.version, json.signs_in, json.sign_in_error], [["127.0.0.1"], 1, true, null]);
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

test("a session that the application has ended signs in again by itself", async () => {
  const { key, userId } = await service.createAccount();
  await createSession(key);
  app.expire();
  const before = app.signIns;
  const one = await seen(key);
  assert.match(one.text, /Number 4711/);
  assert.match(one.warnings, /the session was no longer signed in, and signing in again succeeded/);
  assert.equal(app.signIns - before, 1);
  assert.equal((await sessionOf(key)).version, 2);
  await assertAudited(userId, ["session.created api", "session.signed_in api", "session.signed_in service"]);
});

longTest("a session that has ended signs in again once for all captures that need it", async () => {
  const { key, userId } = await service.createAccount();
  await createSession(key);
  const before = app.signIns;
  app.expire();
  const taken = await Promise.all(["1", "2", "3", "4"].map((width) => seen(key, { width: `6${width}0` })));
  for (const { text } of taken) assert.match(text, /Number 4711/);
  assert.equal(app.signIns - before, 1);
  app.expire();
  const { json } = await send("POST", "/v1/captures", key, {
    url,
    session: "shop",
    outputs: [{ format: "text" }, { width: 60, height: 60 }, { format: "text", user_agent: "Another" }],
  });
  const [first, , third] = json.outputs;
  for (const { url: link } of [first, third]) assert.match(await (await fetch(link)).text(), /Number 4711/);
  assert.match(first.warnings.join(), /signing in again succeeded/);
  assert.equal(app.signIns - before, 2);
  await assertAudited(userId, ["session.created api", "session.signed_in api", ...Array(2).fill("session.signed_in service")]);
});

async function assertAudited(userId: string, expected: string[]): Promise<void> {
  const { rows } = await service.pool.query(
    "select action, via from audit_entries where account_id = $1 and action like 'session.%' order by id",
    [userId],
  );
  assert.deepEqual(
    rows.map(({ action, via }) => `${action} ${via}`),
    expected,
  );
}

longTest("a sign-in that fails saves nothing, leaves an existing session as it was, and says why without the secrets", async () => {
  const { key } = await service.createAccount();
  const wrong = { secrets: { ...secrets, password: "wr0ng-very-secret\ud800" } };
  const refused = await send("POST", "/v1/sessions", key, { ...signIn, ...wrong });
  assert.deepEqual([refused.status, refused.json.code], [400, "sign_in_failed"]);
  const stillSignedOut =
    "The session could not sign in: after the steps, the page still asks for a sign-in. Check the user name and password, and that the steps submit the form and wait for the next page.";
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
  assert.match(missing.json.message, /could not sign in: No visible element matches the selector #nowhere in steps/);
  await createSession(key);
  assert.equal((await send("POST", "/v1/sessions", key, { ...signIn, ...wrong })).json.code, "sign_in_failed");
  assert.match((await seen(key)).text, /Number 4711/);
  const kept = await sessionOf(key);
  assert.deepEqual([kept.signs_in, kept.sign_in_error, kept.signed_in_at !== null], [true, null, true]);
});

longTest(
  "if a session can't sign in again, the capture shows the sign-in page with the reason, and it is tried a bounded number of times",
  async () => {
    const { key } = await service.createAccount();
    await createSession(key);
    app.expire();
    app.isOpen = false;
    const before = app.attempts;
    try {
      for (let attempt = 1; attempt <= 7; attempt += 1) {
        const { verdict, warnings } = await seen(key);
        assert.equal(verdict, "login_wall");
        const reason =
          attempt <= 5 ? /signing in again failed: after the steps, the page still asks/ : /the limit of 6 sign-in attempts within an hour/;
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
  },
);

longTest("while a session is replaced, captures use the old one, and nothing is saved before the new one has signed in", async () => {
  const { key, userId } = await service.createAccount();
  await createSession(key);
  const rows = async () =>
    (await service.pool.query("select to_jsonb(p) - 'last_used_at' as row from page_sessions p where user_id = $1", [userId])).rows;
  const before = await rows();
  const held = Promise.withResolvers<void>();
  let isHeld = false;
  site.serve({
    "/slow": async (_, response) => {
      isHeld = true;
      await held.promise;
      response.writeHead(302, { location: "/login" }).end();
    },
  });
  const replacing = send("POST", "/v1/sessions", key, { ...signIn, url: `${site.origin}/slow` });
  await eventually("the sign-in has begun", () => isHeld);
  assert.deepEqual(await rows(), before, "a process that is killed now leaves nothing");
  assert.match((await seen(key)).text, /Number 4711/);
  assert.equal((await createSession(key)).json.version, 2, "nor does it keep others from saving");
  held.resolve();
  const replaced = await replacing;
  assert.deepEqual([replaced.status, replaced.json.version], [201, 3], replaced.text);
});

longTest("a screenshot that a renewed sign-in made possible is cached for the state that it shows", async () => {
  const { key } = await service.createAccount();
  await createSession(key);
  app.expire();
  const cached = { is_cached: "true", width: "711" };
  assert.match((await seen(key, cached)).warnings, /signing in again succeeded/);
  const requests = site.requests.length;
  await eventually("the screenshot is stored and found", async () => {
    const again = await service.take({ url, api_key: key, format: "text", session: "shop", ...cached, dry_run: "true" });
    return (await again.json()).cache.state === "HIT";
  });
  assert.equal(site.requests.length, requests);
});

longTest(
  "POST sessions/{name}/sign-in signs in again by the saved steps; a session without steps, or of another account, has none",
  async () => {
    const { key, userId } = await service.createAccount();
    const { key: other } = await service.createAccount();
    await createSession(key);
    app.expire();
    const before = app.signIns;
    const again = await send("POST", "/v1/sessions/shop/sign-in", key);
    assert.deepEqual([again.status, again.json.version, app.signIns - before], [200, 2, 1], again.text);
    const { warnings, text } = await seen(key);
    assert.deepEqual([warnings, /Number 4711/.test(text)], ["", true]);
    app.isOpen = false;
    try {
      const failed = await send("POST", "/v1/sessions/shop/sign-in", key);
      assert.deepEqual([failed.json.code, (await sessionOf(key)).version], ["sign_in_failed", 2]);
      assert.match((await seen(key)).text, /Number 4711/, "the state before is kept");
    } finally {
      app.isOpen = true;
    }
    assert.equal((await send("POST", "/v1/sessions/shop/sign-in", other)).status, 404);
    await send("POST", "/v1/sessions", key, { name: "state", state: { cookies: [{ name: "a", value: "b", domain: "127.0.0.1" }] } });
    const none = await send("POST", "/v1/sessions/state/sign-in", key);
    assert.equal(none.json.message, "name refers to the session state, which has no sign-in steps: save a new state.");
    const { rows } = await service.pool.query(
      "select action, via from audit_entries where account_id = $1 and action like 'session.%' order by id limit 3",
      [userId],
    );
    assert.deepEqual(rows.at(-1), { action: "session.signed_in", via: "api" });
  },
);

longTest("HEAD with session_update updates the session as GET does, and a cached answer leaves it as it is", async () => {
  const { key } = await service.createAccount();
  await createSession(key);
  site.serve({
    "/visit": (_, response) => response.writeHead(200, { "set-cookie": `at=${randomUUID()}`, "content-type": "text/html" }).end("<p>Here."),
  });
  const query = new URLSearchParams({
    url: `${site.origin}/visit`,
    api_key: key,
    session: "shop",
    session_update: "true",
    is_cached: "true",
  });
  const head = () => fetch(`${service.origin}/v1/screenshots/take?${query}`, { method: "HEAD" });
  assert.deepEqual([(await head()).status, (await sessionOf(key)).version], [200, 2]);
  assert.equal((await head()).headers.get("x-cache"), "MISS", "the state has changed");
  assert.equal((await sessionOf(key)).version, 3);
});

longTest("with ROLE=api another process signs in, and the plan is in no table before and after, unless encrypted", async (t) => {
  const api = await startReplica(t, service, { ROLE: "api" });
  const { key, userId } = await service.createAccount();
  const post = async (body: object) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(`${api.origin}/v1/sessions`, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: response.status, json: (await response.json()) as Json };
  };
  const refused = await post({ ...signIn, secrets: { ...secrets, password: "wrong" } });
  assert.deepEqual([refused.status, refused.json.code], [400, "sign_in_failed"]);
  assert.match(refused.json.message, /after the steps, the page still asks for a sign-in/);
  const saved = await post(signIn);
  assert.deepEqual([saved.status, saved.json.version, saved.json.sign_in_error], [201, 1, null], JSON.stringify(saved.json));
  assert.match((await seen(key)).text, /Number 4711/);
  const { rows } = await service.pool.query("select request from captures where user_id = $1", [userId]);
  assert.deepEqual(rows, [{ request: null }, { request: null }]);
  const audited = await service.pool.query("select action, via from audit_entries where account_id = $1 and action like 'session.%'", [
    userId,
  ]);
  assert.deepEqual(audited.rows.map(({ action, via }) => `${action} ${via}`).sort(), ["session.created api", "session.signed_in api"]);
});

test("a target-restricted key can't sign in elsewhere", async () => {
  const { userId } = await service.createAccount();
  const { rows } = await service.pool.query("select email from users where id = $1", [userId]);
  const bound = await createApiKey(service.database, rows[0].email, { targets: ["example.com"] });
  const refused = await send("POST", "/v1/sessions", bound, signIn);
  assert.equal(refused.json.code, "target_not_allowed");
  assert.deepEqual((await send("GET", "/v1/sessions", bound)).json.sessions, []);
});

longTest("no secret of a sign-in is in any table, log line, Redis key, stored file, explanation or error", async (t) => {
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

const elsewhere = site.origin.replace("127.0.0.1", "localhost");

/** Pages that report each input, as those would that collect what is typed. */
async function startSpying() {
  const { key } = await service.createAccount();
  const typed = (text: string) => site.requests.some(({ path }) => path.includes(encodeURIComponent(text)));
  const spy = `<script>addEventListener("input", ({ target }) => fetch("/typed/" + encodeURIComponent(target.value)))</script>`;
  site.serve({
    "/off": (_, response) => void response.writeHead(302, { location: `${elsewhere}/spy` }).end(),
    "/spy": html(`<h1>Sign in</h1><input id=user autofocus style="position: fixed; inset: 0; width: 100%; height: 100%">${spy}`),
    "/framed": html(`<h1>Sign in</h1><iframe id=user src="${elsewhere}/spy"></iframe>`),
    "/inside": html(`<h1>Sign in</h1><iframe id=user src="/spy"></iframe>`),
    "/stolen": html(`<h1>Sign in</h1><input id=user><iframe src="${elsewhere}/thief"></iframe>`),
    "/thief": html(`<input id=there>${spy}<script>setInterval(() => there.focus(), 1)</script>`),
  });
  const trying = (path: string, user: string, more: object = {}) =>
    send("POST", "/v1/sessions", key, {
      name: "shop",
      url: site.origin + path,
      steps: [{ type: "#user", text: { secret: "user" } }, { wait: 1 }],
      secrets: { user },
      ...more,
    });
  return { typed, trying };
}

longTest("secrets are typed only on the site of the sign-in page, unless another host is named", async () => {
  const { typed, trying } = await startSpying();
  const off = await trying("/off", "secret-off");
  assert.equal(
    off.json.message,
    `The session could not sign in: The field is on ${elsewhere}, but the steps may type only on 127.0.0.1; list other hosts in sign_in_hosts to allow them.`,
  );
  await trying("/off", "secret-named", { sign_in_hosts: ["LOCALHOST"] });
  assert.deepEqual(["secret-off", "secret-named"].filter(typed), ["secret-named"]);
});

longTest("nothing is typed into frames of other origins, and no text, even if it isn't a secret, on other sites", async () => {
  const { typed, trying } = await startSpying();
  assert.equal((await trying("/off", "secret-plain", { steps: [{ type: "#user", text: "plain-text" }] })).json.code, "sign_in_failed");
  assert.match((await trying("/framed", "secret-framed")).json.message, /The field is in a frame of another origin/);
  await trying("/stolen", "secret-stolen");
  await trying("/inside", "secret-inside");
  assert.deepEqual(["plain-text", "secret-framed", "secret-stolen", "secret-inside"].filter(typed), ["secret-inside"]);
});

longTest("requested sign-ins are limited for each account and site, whether or not they succeed, before the page is loaded", async () => {
  const [{ key, userId }, { key: other }] = [await service.createAccount(), await service.createAccount()];
  site.serve({ "/none": html("<h1>Welcome</h1><p>Nobody can sign in here.</p>") });
  const body = { ...signIn, url: `${site.origin}/none`, steps: [{ click: "#missing" }] };
  const count = service.services.countSignIn;
  for (let attempt = 1; attempt < 30; attempt += 1) await count(userId, { url: body.url, signInHosts: [] });
  assert.equal((await send("POST", "/v1/sessions", key, body)).json.code, "sign_in_failed");
  const before = site.requests.length;
  const refused = await send("POST", "/v1/sessions", key, body);
  assert.deepEqual([refused.status, refused.json.code, site.requests.length], [429, "rate_limited", before]);
  assert.match(refused.json.message, /^The account has requested too many sign-ins on 127\.0\.0\.1 within an hour; try again in \d+ s\./);
  assert.ok(Number(refused.headers.get("retry-after")) > 60);
  assert.equal(await service.used(userId), 0, "sign-ins that fail cost nothing");
  assert.equal((await send("POST", "/v1/sessions", other, body)).json.code, "sign_in_failed", "other accounts have their own share");
  await assert.rejects(count(userId, { url: "https://a.example/", signInHosts: ["127.0.0.1"] }), /on 127\.0\.0\.1 within/);
  await count(userId, { url: "https://b.example/", signInHosts: [] });
});

longTest(
  "captures that fail after their steps have typed are limited together with sign-ins, before anything is typed; others aren't counted",
  async () => {
    const [{ key, userId }, { key: other }] = [await service.createAccount(), await service.createAccount()];
    const guess = {
      url: `${site.origin}/login`,
      format: "text",
      steps: JSON.stringify([{ type: "#user", text: "gu3ss" }, { press: "Enter" }, { wait: 0.5 }]),
    };
    const take = (of: string, more: Record<string, string> = {}) => service.take({ ...guess, api_key: of, ...more });
    const failing = { fail_on_text: "Wrong" };
    const { countSignIn } = service.services;
    const count = async (attempts: number) => {
      for (let attempt = 0; attempt < attempts; attempt += 1) await countSignIn(userId, { url: guess.url, signInHosts: [] });
    };
    await count(28);
    assert.equal((await take(key)).status, 200, "it costs a screenshot");
    const outputs = [failing, { fail_on_text: "with" }];
    const several = await send("POST", "/v1/captures", key, { ...guess, steps: JSON.parse(guess.steps), outputs });
    assert.match(several.text, /unwanted_page/, "it counts once");
    assert.equal((await take(key, failing)).headers.get("x-error-code"), "unwanted_page");
    const before = app.attempts;
    const refused = await take(key, failing);
    assert.deepEqual([refused.status, refused.headers.get("x-error-code"), app.attempts], [429, "rate_limited", before]);
    assert.ok(Number(refused.headers.get("retry-after")) > 60);
    assert.match(
      await refused.text(),
      /The account has requested too many sign-ins, or had too many captures fail after typing, on 127\.0\.0\.1 within an hour/,
    );
    assert.equal((await take(key, { steps: JSON.stringify([{ click: "h1" }]) })).status, 200, "without typing");
    assert.equal((await take(other, failing)).headers.get("x-error-code"), "unwanted_page", "other accounts have their own share");
    assert.equal((await send("POST", "/v1/sessions", key, signIn)).json.code, "rate_limited");
  },
);

longTest(
  "each further password that a sign-in or a capture types on a site counts as well, and beyond the limit none is typed",
  async () => {
    const [one, other] = [await service.createAccount(), await service.createAccount()];
    const spy = `<script>addEventListener("input", ({ data }) => fetch("/typed/" + data))</script>`;
    site.serve({ "/passwords": html(`<h1>Sign in</h1><input id=user><input type=password id=password>${spy}`) });
    const url = `${site.origin}/passwords`;
    const count = async (userId: string, attempts: number) => {
      for (let attempt = 0; attempt < attempts; attempt += 1) await service.services.countSignIn(userId, { url, signInHosts: [] });
    };
    const earlier = site.requests.length;
    const typed = () => site.requests.slice(earlier).flatMap(({ path }) => (path.startsWith("/typed/") ? [path.slice(7)] : []));
    const guesses = (name: string, number: number) =>
      Array.from({ length: number }, (_, index) => ({ type: "#password", text: `${name}${index}` }));

    await count(one.userId, 27);
    const steps = [{ type: "#user", text: "ann" }, { type: "#user", text: "e" }, ...guesses("a", 6), { wait: 1 }];
    const { json } = await send("POST", "/v1/sessions", one.key, { ...signIn, url, secrets: {}, steps });
    assert.equal(json.code, "sign_in_failed");
    assert.match(json.message, /The account has requested too many sign-ins on 127\.0\.0\.1 within an hour/);
    await eventually("what was typed has arrived", () => typed().includes("a2"));
    assert.deepEqual(typed().sort(), ["a0", "a1", "a2", "ann", "e"]);

    await count(other.userId, 27);
    const guess = async (name: string, number: number) =>
      (
        await send("POST", "/v1/screenshots/take", other.key, {
          url,
          steps: [...guesses(name, number), { wait: 1 }],
          fail_on_text: "Sign in",
        })
      ).json.code;
    assert.equal(await guess("b", 4), "rate_limited", "the fourth would be one too many");
    assert.deepEqual(
      typed()
        .filter((text) => text.startsWith("b"))
        .sort(),
      ["b0", "b1", "b2"],
    );
    assert.equal(await guess("c", 1), "rate_limited", "the three have used up the limit");
  },
);

longTest("errors and explanations don't quote the page once a literal password has been typed into it", async () => {
  const { key } = await service.createAccount();
  site.serve({
    "/echo": html(`<h1>Sign in</h1><input id=user><input type=password id=password>
      <script>addEventListener("input", ({ target }) => {
        console.error("typed", target.value); fetch("/typed/" + target.value); document.querySelector("h1").textContent = "Typed " + target.value;
      })</script>`),
  });
  const typing = (field: string) => [{ type: field, text: "l1teral-secret" }, { wait: 0.3 }];
  const take = async (field: string, more: object) =>
    (await send("POST", "/v1/screenshots/take", key, { url: `${site.origin}/echo`, steps: typing(field), explain: true, ...more })).text;
  const reasons = [{ fail_on_text: ["/Typed .*/"] }, { fail_on_console_error: true }, { fail_on_failed_request: ["*/typed/*"] }];
  for (const reason of [...reasons, { response_type: "json" }]) {
    assert.doesNotMatch(await take("#password", reason), /l1teral/, JSON.stringify(reason));
    assert.match(await take("#user", reason), /l1teral/, JSON.stringify(reason));
  }
});

longTest("a sign-in that the quota refuses is not a failure of the session, and doesn't count as one of its sign-ins", async () => {
  const { key } = await service.createAccount({ quota: 1 });
  await createSession(key);
  const counted = async () =>
    (await service.pool.query("select sign_ins from page_sessions where name = 'shop' order by id desc limit 1")).rows;
  const before = await counted();
  const refused = await send("POST", "/v1/sessions/shop/sign-in", key);
  assert.deepEqual([refused.status, refused.json.code], [403, "quota_exceeded"]);
  const { sign_in_error: error, version } = await sessionOf(key);
  assert.deepEqual([error, version, await counted()], [null, 1, before]);
});

longTest(
  "a sign-in whose session another one has replaced meanwhile fails and costs nothing, instead of showing the signed-out page",
  async (t) => {
    const { key, userId } = await service.createAccount();
    const { pageSessions } = service.services;
    const { open } = pageSessions;
    t.after(() => {
      pageSessions.open = open;
    });
    let opened = 0;
    pageSessions.open = async (...of) => {
      opened += 1;
      if (opened === 2) await createSession(key); // the first has signed in, and opens the session for its capture
      return await open(...of);
    };
    const replaced = await send("POST", "/v1/sessions", key, signIn);
    assert.equal(opened, 4);
    assert.deepEqual([replaced.status, replaced.json.code], [400, "sign_in_failed"]);
    assert.match(replaced.json.message, /the session was changed or deleted during the sign-in/);
    assert.deepEqual([await service.used(userId), (await sessionOf(key)).version], [1, 2]);
  },
);

longTest("what all accounts share of a site is used up only by typing there, and a sign-in beyond it types nothing", async () => {
  const { key, userId } = await service.createAccount();
  const { countSignIn, countTyping } = service.services;
  const naming = { url: "http://no-such-host.invalid/", signInHosts: ["localhost", "named.example"] };
  for (let named = 0; named < 300; named += 1) await countSignIn(randomUUID(), naming);
  await countSignIn(userId, { url: "https://named.example/", signInHosts: [] });
  const elsewhere = site.origin.replace("127.0.0.1", "localhost");
  const spy = `<script>addEventListener("input", ({ target }) => fetch("/typed/" + target.value))</script>`;
  site.serve({
    "/leads": (_, response) => void response.writeHead(302, { location: `${elsewhere}/field` }).end(),
    "/field": html(`<h1>Sign in</h1><input id=user>${spy}`),
  });
  const trying = async (text: string) => {
    const leading = { name: "shop", url: `${site.origin}/leads`, sign_in_hosts: ["localhost"] };
    await send("POST", "/v1/sessions", key, { ...leading, secrets: {}, steps: [{ type: "#user", text }, { wait: 1 }] }).then(({ json }) =>
      assert.equal(json.code, "sign_in_failed"),
    );
    return site.requests.some(({ path }) => path === `/typed/${text}`);
  };
  assert.equal(await trying("within"), true);
  const named = { url: site.origin, signInHosts: ["localhost"] };
  for (let typed = 1; typed < 300; typed += 1) await countTyping(userId, new URL(elsewhere), named, { isRequested: true }).catch(() => {}); // other tests have typed there
  assert.equal(await trying("beyond"), false);
});

longTest("a caller's own form counts for the site to which it leads, and the outcome isn't told beyond the limit", async () => {
  const { key, userId } = await service.createAccount();
  const own = `<form method=post action="${site.origin}/login"><input name=user id=user><input name=password value=gu3ss><button>Go</button></form>`;
  const steps = [{ type: "#user", text: "ann" }, { press: "Enter" }, { click: "#orders" }];
  const guess = async (more: object) => (await send("POST", "/v1/screenshots/take", key, { html: own, steps, ...more })).json.code;
  for (let attempt = 0; attempt < 28; attempt += 1) await service.services.countSignIn(userId, { url: site.origin, signInHosts: [] });
  const shown = { steps: steps.slice(0, 2), fail_on_text: "Wrong" };
  assert.deepEqual([await guess({}), await guess(shown)], ["selector_not_found", "unwanted_page"]);
  assert.deepEqual([await guess({}), await guess(shown)], ["rate_limited", "rate_limited"]);
});

longTest(
  "a sign-in counts for the site to which a page's own form leads, and one that a capture needs for every site but its own",
  async () => {
    const elsewhere = site.origin.replace("127.0.0.1", "localhost");
    let leadsElsewhere = false;
    site.serve({
      "/leading": (_, response) => void response.setHeader("content-type", "text/html").end(form().replace("/login", `${elsewhere}/login`)),
      "/gate": (_, response) => void response.writeHead(302, { location: `${leadsElsewhere ? elsewhere : ""}/login` }).end(),
    });
    const useUp = async (userId: string) => {
      for (let count = 0; count < 30; count += 1)
        await service.services.countSignIn(userId, { url: elsewhere, signInHosts: [] }).catch(() => {});
    };
    const one = await service.createAccount();
    await useUp(one.userId);
    const refused = await send("POST", "/v1/sessions", one.key, { ...signIn, url: `${site.origin}/leading` });
    assert.match(refused.json.message, /sign in: The account has requested too many sign-ins on localhost within an hour/);

    const other = await service.createAccount();
    await createSession(other.key, { url: `${site.origin}/gate`, sign_in_hosts: ["localhost"] });
    await useUp(other.userId);
    app.expire();
    assert.match((await seen(other.key)).text, /Number 4711/, "its own site isn't counted");
    app.expire();
    leadsElsewhere = true;
    const before = app.attempts;
    const { verdict, warnings } = await seen(other.key);
    assert.match(
      `${verdict} ${warnings}`,
      /^login_wall .*signing in again failed: The account has requested too many sign-ins on localhost/,
    );
    assert.equal(app.attempts, before);
  },
);

longTest("the final URL is returned and stored without what a form that is sent with GET puts into it", async () => {
  const { key, userId } = await service.createAccount();
  site.serve({
    "/get": html(
      `<h1>Sign in</h1><form action=/got><input id=user name=user><input type=password id=password name=password><button>Go</button></form>`,
    ),
    "/got": html("<h1>Welcome</h1><p>Nothing of it is shown here, only in the address.</p>"),
  });
  const take = async (field: string) => {
    const steps = [{ type: field, text: "l1teral-secret" }, { press: "Enter" }, { wait: "p" }];
    return await send("POST", "/v1/screenshots/take", key, { url: `${site.origin}/get`, steps, response_type: "json" });
  };
  const { json, text, headers } = await take("#password");
  assert.deepEqual([json.target.url, headers.get("x-target-url")], [`${site.origin}/got`, `${site.origin}/got`]);
  assert.doesNotMatch(text, /l1teral/);
  await eventually("the final URL is stored without it", async () => {
    const { rows } = await service.pool.query("select final_url from screenshots where user_id = $1 and status = 'done'", [userId]);
    return rows[0]?.final_url === `${site.origin}/got`;
  });
  assert.match((await take("#user")).json.target.url, /user=l1teral-secret/);
});
