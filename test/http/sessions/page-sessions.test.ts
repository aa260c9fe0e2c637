/** `/v1/sessions` and the `session` option: pages that require signing in. */

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createApiKey } from "../../accounts/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { longOnly } from "../../support/long-only.ts";
import { createTestRedis } from "../../support/redis.ts";
import { fileScope } from "../../support/scope.ts";
import { startService } from "../../support/service.ts";
import { createSite } from "../../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
const site = await createSite(scope, {
  // An application that signs in with a cookie and stores more data in the browser.
  "/login": (_, response) => void response.writeHead(204, { "set-cookie": `sid=${secrets.cookie}; HttpOnly; SameSite=Lax` }).end(),
  "/": ({ headers }, response) => {
    const name = /(?:^|; )sid=([^;]*)/.exec(headers.cookie ?? "")?.[1] ?? "nobody";
    response.setHeader("content-type", "text/html").end(`<p>Server: ${name}.</p><p>Storage: <script>
      document.write(localStorage.getItem("token"), ".")</script></p><p id=db>Database: </p><script>
      indexedDB.databases().then((all) => all.length === 0 ? db.append("none.") : indexedDB.open("app").onsuccess = ({ target: { result } }) => {
        result.transaction("users").objectStore("users").index("mail").get("a@example.com").onsuccess = ({ target: { result } }) =>
          db.append(result.id, " since ", result.since.getUTCFullYear(), ".")
      })</script>`);
  },
  "/away": (_, response) => void response.writeHead(302, { location: `${other.origin}/` }).end(),
});
const other = await createSite(scope, { "/": ({ headers }, response) => void response.end(`cookies: ${headers.cookie ?? "none"}`) });
const secrets = { cookie: "c00kie-very-secret", token: "t0ken-very-secret", since: "2031-04-05T00:00:00.000Z" };
const service = await startService(scope, { EGRESS_ALLOWED_HOSTS: "127.0.0.1", MAX_SESSIONS: "4" });

// biome-ignore lint/suspicious/noExplicitAny: response bodies are untyped
type Json = any;

async function send(
  method: string,
  path: string,
  key: string,
  body?: object,
): Promise<{ status: number; json: Json; text: string; headers: Headers }> {
  const response = await fetch(`${service.origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, json: text && JSON.parse(text), text, headers: response.headers };
}

const cookieOf = (value: string, more: object = {}) => {
  return { name: "sid", value, domain: "127.0.0.1", path: "/", expires: -1, httpOnly: true, secure: false, sameSite: "Lax", ...more };
};
const stateOf = (value: string) => ({ cookies: [cookieOf(value)], origins: [] });

/** The page's text as a capture sees it. */
async function seen(
  key: string,
  options: Record<string, string> = {},
): Promise<{ text: string; cache: string | null; control: string | null }> {
  const response = await service.take({ url: `${site.origin}/`, api_key: key, format: "text", ...options });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return { text, cache: response.headers.get("x-cache"), control: response.headers.get("cache-control") };
}

async function save(key: string, name: string, state: object) {
  const answer = await send("POST", "/v1/sessions", key, { name, state });
  assert.equal(answer.status, 201, answer.text);
  return answer;
}

/** In the format of Playwright's `storageState({ indexedDB: true })`. */
const wholeState = () => ({
  cookies: [cookieOf(secrets.cookie)],
  origins: [
    {
      origin: site.origin,
      localStorage: [{ name: "token", value: secrets.token }],
      indexedDB: [
        {
          name: "app",
          version: 3,
          stores: [
            {
              name: "users",
              keyPath: "id",
              autoIncrement: false,
              indexes: [{ name: "mail", keyPath: "mail", multiEntry: false, unique: true }],
              records: [
                {
                  valueEncoded: {
                    o: [
                      { k: "id", v: 7 },
                      { k: "mail", v: "a@example.com" },
                      { k: "since", v: { d: secrets.since } },
                    ],
                    id: 1,
                  },
                },
              ],
            },
          ],
        },
      ],
    },
  ],
});

test("page sessions: a capture starts with the session's cookies, localStorage and IndexedDB, and leaves nothing behind for the next one", async () => {
  const { key } = await service.createAccount();
  const login = await fetch(`${site.origin}/login`);
  assert.match(login.headers.get("set-cookie") ?? "", new RegExp(`^sid=${secrets.cookie}`));
  const { json } = await save(key, "shop", wholeState());
  assert.deepEqual([json.name, json.hosts, json.version, json.last_used_at], ["shop", ["127.0.0.1"], 1, null]);
  const before = site.requests.length;
  const { text, control } = await seen(key, { session: "shop" });
  assert.match(text, /Server: c00kie-very-secret\.\s+Storage: t0ken-very-secret\.\s+Database: 7 since 2031\./);
  assert.match(control ?? "", /^private/);
  assert.equal(site.requests.length - before, 1, "storage for the origin is filled without a request to it");
  assert.match((await seen(key)).text, /Server: nobody\.\s+Storage: null\.\s+Database: none\./);
  assert.match((await seen(key, { session: "shop", cookies: "sid=own" })).text, /Server: own\./);
  const { json: used } = await send("GET", "/v1/sessions/shop", key);
  assert.ok(Date.now() - Date.parse(used.last_used_at) < 120_000);
});

test("page sessions: cookies keep their attributes, and a session is refused for hosts it doesn't cover", async () => {
  const { key } = await service.createAccount();
  await save(key, "own", { cookies: [cookieOf("narrow", { path: "/inner" }), cookieOf("old", { expires: 1 })] });
  assert.match((await seen(key, { session: "own" })).text, /Server: nobody\./);
  await save(key, "elsewhere", { cookies: [cookieOf("sub", { domain: ".example.com" })] });
  const refused = await service.take({ url: `${site.origin}/`, api_key: key, session: "elsewhere" });
  assert.equal(refused.status, 400);
  assert.match((await refused.json()).error, /^session refers to elsewhere, which is not for 127\.0\.0\.1, only for \.example\.com/);
  await save(key, "broken", { cookies: [cookieOf("ok"), cookieOf("x", { name: "__Host-x", secure: false })] });
  const taken = await service.take({ url: `${site.origin}/`, api_key: key, session: "broken", format: "text" });
  assert.match(taken.headers.get("x-warnings") ?? "", /1 of the session's cookies, storage items and databases could not be restored/);
  assert.match(await taken.text(), /Server: ok\./);
});

test("page sessions: names are per account, and cached screenshots are separate for each session, version and account", async () => {
  const [{ key: ann }, { key: bob }] = [await service.createAccount(), await service.createAccount()];
  const cached = { session: "shop", is_cached: "true" };
  const storing = async (key: string, options: Record<string, string>) => {
    const { json } = await send("POST", "/v1/screenshots/take", key, {
      url: `${site.origin}/`,
      format: "text",
      response_type: "json",
      ...options,
    });
    return json;
  };
  await save(ann, "shop", stateOf("ann"));
  await save(bob, "shop", stateOf("bob"));
  await storing(ann, cached);
  await storing(bob, cached);
  for (const [key, name] of [
    [ann, "ann"],
    [bob, "bob"],
  ] as const) {
    const { text, cache } = await seen(key, cached);
    assert.deepEqual([/Server: (\w+)/.exec(text)?.[1], cache], [name, "HIT"]);
  }
  assert.deepEqual((await seen(ann, { is_cached: "true" })).text.match(/Server: (\w+)/)?.[1], "nobody");
  await save(ann, "second", stateOf("second"));
  assert.match((await seen(ann, { ...cached, session: "second" })).text, /second/);
  assert.equal((await save(ann, "shop", stateOf("anna"))).json.version, 2);
  const replaced = await seen(ann, cached);
  assert.deepEqual([/Server: (\w+)/.exec(replaced.text)?.[1], replaced.cache], ["anna", "MISS"]);
  assert.equal((await send("DELETE", "/v1/sessions/shop", ann)).status, 204);
  const gone = await service.take({ url: `${site.origin}/`, api_key: ann, format: "text", ...cached });
  assert.equal(gone.status, 400);
  await save(ann, "shop", stateOf("later"));
  assert.match((await seen(ann, cached)).text, /Server: later/);
  assert.match((await seen(bob, cached)).text, /Server: bob/);
});

longTest("page sessions: outputs with different sessions are loaded separately, even when queued", async () => {
  const { key } = await service.createAccount();
  await save(key, "one", stateOf("one"));
  await save(key, "two", stateOf("two"));
  for (const more of [{}, { async: true }]) {
    const outputs = ["one", "two", undefined].map((session) => ({ format: "text", ...(session && { session }) }));
    const begun = await send("POST", "/v1/captures", key, { url: `${site.origin}/`, outputs, ...more });
    const { json } = begun.status === 202 ? await send("GET", `/v1/captures/${begun.json.id}?wait=60`, key) : begun;
    const texts = json.outputs.map(async ({ url }: { url: string }) => (await (await fetch(url)).text()).match(/Server: (\w+)/)?.[1]);
    assert.deepEqual(await Promise.all(texts), ["one", "two", "nobody"], JSON.stringify(json));
  }
  // Its state is another row's: it can't be decrypted once the capture opens it.
  await service.pool.query("update page_sessions set sealed = (select sealed from page_sessions where name = 'two') where name = 'one'");
  const partly = await send("POST", "/v1/captures", key, {
    url: `${site.origin}/`,
    outputs: ["one", "two", undefined].map((session) => ({ format: "text", ...(session && { session }) })),
  });
  assert.deepEqual(
    partly.json.outputs.map(({ error }: Json) => error?.code),
    ["invalid_parameters", undefined, undefined],
  );
  const unknown = await send("POST", "/v1/captures", key, { url: `${site.origin}/`, outputs: [{ session: "nothing" }] });
  assert.deepEqual([unknown.status, unknown.json.message], [400, "session refers to nothing, but there is no such session."]);
});

test("page sessions: session_update saves the cookies and localStorage that a page leaves behind, but not those of a sign-in page", async () => {
  const { key, userId } = await service.createAccount();
  site.serve({
    "/visit": ({ headers }, response) => {
      const visits = Number(/visits=(\d+)/.exec(headers.cookie ?? "")?.[1] ?? 0) + 1;
      response.setHeader("set-cookie", [`visits=${visits}`, "sid=; Max-Age=0"]).setHeader("content-type", "text/html");
      response.end(`<p>Visit ${visits}. <script>document.write(localStorage.last); localStorage.last = "at ${visits}"</script>`);
    },
    "/same": "<p>This page changes nothing.",
    "/wall": `<title>Sign in</title><h1>Sign in</h1><form><input name=user><input type=password name=password><button>Sign in</button></form>
      <script>document.cookie = "visits=0"</script>`,
  });
  await save(key, "shop", stateOf("ann"));
  const visit = async (options: Record<string, string>) =>
    (await seen(key, { url: `${site.origin}/visit`, session: "shop", ...options })).text;
  const version = async () => (await send("GET", "/v1/sessions/shop", key)).json.version;
  assert.match(await visit({}), /Visit 1\. undefined/);
  assert.match(await visit({ session_update: "true" }), /Visit 1\. undefined/);
  assert.match(await visit({ session_update: "true" }), /Visit 2\. at 1/);
  assert.equal(await version(), 3);
  assert.match((await seen(key, { session: "shop" })).text, /Server: nobody/, "the page has deleted its cookie");
  await seen(key, { url: `${site.origin}/same`, session: "shop", session_update: "true" });
  assert.equal(await version(), 3, "unchanged state isn't saved again");
  const { rows } = await service.pool.query("select via from audit_entries where account_id = $1 and action = 'session.updated'", [userId]);
  assert.deepEqual(rows, [{ via: "service" }], "once an hour");
  const wall = await service.take({ url: `${site.origin}/wall`, api_key: key, session: "shop", session_update: "true" });
  assert.equal(wall.headers.get("x-verdict"), "login_wall");
  assert.equal(await version(), 3);
  const outputs = await send("POST", "/v1/captures", key, {
    url: `${site.origin}/visit`,
    session: "shop",
    session_update: true,
    outputs: [{ width: 60 }, { format: "text" }],
  });
  assert.deepEqual(
    outputs.json.outputs.map(({ warnings }: Json) => warnings),
    [[], []],
  );
  assert.match(await visit({}), /Visit 4\. at 3/);
  const alone = await service.take({ url: `${site.origin}/`, api_key: key, session_update: "true" });
  assert.equal((await alone.json()).error, "session_update requires session.");
});

longTest("page sessions: session_update doesn't overwrite a session that was replaced or deleted during the capture", async () => {
  const { key } = await service.createAccount();
  await save(key, "shop", stateOf("old"));
  const taken = async (during: () => Promise<unknown>) => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    let isRequested = false;
    site.serve({
      "/slow": async (_, response) => {
        isRequested = true;
        await opened;
        response.setHeader("set-cookie", "more=1").setHeader("content-type", "text/html").end("<p>Slow.");
      },
    });
    const taking = service.take({ url: `${site.origin}/slow`, api_key: key, session: "shop", session_update: "true" });
    await eventually("the page has been requested", () => isRequested);
    await during();
    open();
    return (await taking).headers.get("x-warnings");
  };
  assert.match((await taken(() => save(key, "shop", stateOf("new")))) ?? "", /was changed or deleted during the capture/);
  assert.match((await seen(key, { session: "shop" })).text, /Server: new/);
  assert.match((await taken(() => send("DELETE", "/v1/sessions/shop", key))) ?? "", /was changed or deleted during the capture/);
  assert.equal((await send("GET", "/v1/sessions/shop", key)).status, 404);
});

longTest("page sessions: batches and watches can use one, and are refused when created if they can't use it", async () => {
  const { key } = await service.createAccount();
  await save(key, "shop", stateOf("ann"));
  const url = `${site.origin}/`;
  for (const session of ["nothing", "elsewhere"]) {
    if (session === "elsewhere") await save(key, session, { cookies: [cookieOf("x", { domain: "example.com" })] });
    for (const [path, body] of [
      ["/v1/batches", { captures: [{ url }, { url, session }] }],
      ["/v1/watches", { url, session }],
      ["/v1/captures", { url, async: true, outputs: [{ session }] }],
    ] as const)
      assert.match(
        (await send("POST", path, key, body)).json.message,
        new RegExp(`^session refers to ${session}, (which is not for|but there is no such session)`),
        path,
      );
  }
  const batch = await send("POST", "/v1/batches", key, { captures: [{ url, session: "shop", format: "text" }] });
  assert.equal(batch.status, 202, batch.text);
  const isDone = async () => (await send("GET", `/v1/batches/${batch.json.id}`, key)).json.status === "done";
  await eventually("the batch is done", isDone);
  const results = await (await fetch(`${service.origin}/v1/batches/${batch.json.id}/results`, { headers: { "x-api-key": key } })).text();
  const [output] = JSON.parse(results.split("\n")[0] ?? "").outputs;
  assert.match(await (await fetch(output.url)).text(), /Server: ann/);
  site.serve({ "/watched": "<p>Watched" });
  const watch = await send("POST", "/v1/watches", key, { url: `${url}watched`, session: "shop", width: 60, height: 60 });
  assert.deepEqual([watch.status, watch.json.options.session], [201, "shop"]);
  const isServed = () => site.requests.some(({ path, headers }) => path === "/watched" && headers.cookie === "sid=ann");
  await eventually("the watch has captured its page", isServed);
  const changed = await send("PATCH", `/v1/watches/${watch.json.id}`, key, { session: "nothing" });
  assert.equal(changed.status, 400);
  await send("DELETE", `/v1/watches/${watch.json.id}`, key);
});

longTest("page sessions: an MCP tool can read a page with one", async () => {
  const { key } = await service.createAccount();
  await save(key, "shop", stateOf("ann"));
  const call = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "read_page", arguments: { url: `${site.origin}/`, session: "shop" } },
  };
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", accept: "application/json, text/event-stream" };
  const answer = await (await fetch(`${service.origin}/mcp`, { method: "POST", headers, body: JSON.stringify(call) })).text();
  assert.match(answer, /Server: ann/);
});

test("page sessions: domain-restricted keys can't use any, target-restricted keys only their own", async () => {
  const { key, userId } = await service.createAccount();
  const { rows } = await service.pool.query("select email from users where id = $1", [userId]);
  const embedded = await createApiKey(service.database, rows[0].email, { domains: ["example.com"] });
  const bound = await createApiKey(service.database, rows[0].email, { targets: [site.host] });
  await save(key, "shop", stateOf("all"));
  const headers = { origin: "https://example.com", "x-api-key": embedded };
  for (const [method, path] of [
    ["GET", "/v1/sessions"],
    ["GET", "/v1/sessions/shop"],
    ["DELETE", "/v1/sessions/shop"],
  ] as const)
    assert.equal((await (await fetch(service.origin + path, { method, headers })).json()).code, "domain_not_allowed");
  const captured = await service.take({ url: `${site.origin}/`, api_key: embedded, session: "shop" }, { origin: "https://example.com" });
  assert.equal((await captured.json()).code, "domain_not_allowed");
  assert.deepEqual((await send("GET", "/v1/sessions", bound)).json.sessions, []);
  assert.equal((await send("GET", "/v1/sessions/shop", bound)).status, 404);
  assert.equal(
    (await send("POST", "/v1/sessions", bound, { name: "shop", state: stateOf("x") })).json.message,
    "name is already the name of another key's session.",
  );
  assert.equal((await service.take({ url: `${site.origin}/`, api_key: bound, session: "shop" })).status, 400);
  await save(bound, "own", stateOf("bound"));
  assert.match((await seen(bound, { session: "own" })).text, /Server: bound/);
  await send("DELETE", "/v1/sessions/shop", key);
  await save(bound, "shop", stateOf("taken"));
  const taken = await service.take({ url: `${site.origin}/`, api_key: key, session: "shop" });
  assert.match((await taken.json()).error, /^session refers to shop, which a restricted key has saved for itself/);
  const third = await send("POST", "/v1/sessions", bound, { name: "third", state: stateOf("x") });
  assert.match(third.json.message, /restricted keys already have 2 sessions/);
  await save(key, "shop", stateOf("again"));
  assert.match((await seen(key, { session: "shop" })).text, /Server: again/);
  site.serve({ "/off": (_, response) => void response.writeHead(302, { location: `${other.origin}/` }).end() });
  const off = await service.take({ url: `${site.origin}/off`, api_key: bound, session: "own" });
  assert.equal((await off.json()).code, "target_not_allowed");
});

test("POST sessions: limits are checked before and after the state is parsed, and errors never quote the state", async () => {
  const { key } = await service.createAccount();
  const value = "v4lue-very-secret";
  for (const [state, problem] of [
    [undefined, "state is missing"],
    [value, "state must be"],
    [{}, "state must contain at least one cookie or origin"],
    [{ cookies: value }, "state.cookies must be"],
    [{ cookies: Array(301).fill(cookieOf(value)) }, "state.cookies"],
    [
      { cookies: Array.from({ length: 20 }, (_, index) => cookieOf(value, { domain: `${index}${"a".repeat(240)}` })) },
      "state must not be for hosts whose names total more than 4096 characters",
    ],
    [{ cookies: [{ ...cookieOf(value), path: 1 }] }, "state.cookies[0].path must be"],
    [{ cookies: [cookieOf(value.repeat(300))] }, "state.cookies[0].value must be"],
    [{ cookies: [cookieOf(value, { domain: `${value}/` })] }, "state.cookies[0].domain must be"],
    [{ cookies: [cookieOf(value, { sameSite: value })] }, "state.cookies[0].sameSite must be"],
    [{ origins: Array.from({ length: 21 }, (_, index) => ({ origin: `http://a${index}.example` })) }, "state.origins"],
    [{ origins: [{ origin: `ftp://${value}` }] }, "state.origins[0].origin must be an http or https origin"],
    [
      { origins: [{ origin: site.origin, localStorage: [{ name: "a", value: { value } }] }] },
      "state.origins[0].localStorage[0].value must be",
    ],
    [{ origins: [{ origin: site.origin, indexedDB: [{ name: "a", version: value }] }] }, "state.origins[0].indexedDB[0].version must be"],
  ] as const) {
    const { status, text, json } = await send("POST", "/v1/sessions", key, { name: "a", state });
    assert.equal(status, 400, text);
    assert.ok(json.message.startsWith(problem), json.message);
    assert.ok(!text.includes(value), text);
  }
  assert.equal((await send("POST", "/v1/sessions", key, { name: "a b", state: stateOf("x") })).status, 400);
  const long = { origins: [{ origin: site.origin, localStorage: [{ name: "a", value: "x".repeat(1024 * 1024) }] }] };
  assert.equal((await send("POST", "/v1/sessions", key, { name: "a", state: long })).json.code, "payload_too_large");
  for (const name of ["a", "b", "c", "d"]) await save(key, name, stateOf("x"));
  assert.equal((await send("POST", "/v1/sessions", key, { name: "e", state: stateOf("x") })).json.code, "session_limit_reached");
  await save(key, "d", stateOf("y"));
  const pages = [await send("GET", "/v1/sessions?limit=3", key)];
  pages.push(await send("GET", `/v1/sessions?limit=3&before=${pages[0]?.json.next_cursor}`, key));
  assert.deepEqual(
    pages.map(({ json }) => json.sessions.map(({ name }: { name: string }) => name)),
    [["d", "c", "b"], ["a"]],
  );
});

test("page sessions: the audit log records changes without the state, and deleting the account deletes its sessions", async () => {
  const { key, userId } = await service.createAccount();
  await save(key, "shop", stateOf("x"));
  await save(key, "shop", stateOf("y"));
  await send("DELETE", "/v1/sessions/shop", key);
  await save(key, "kept", stateOf("z"));
  const { rows } = await service.pool.query(
    "select action, via, subject, changes from audit_entries where account_id = $1 and action like 'session.%' order by id",
    [userId],
  );
  assert.deepEqual(
    rows.map(({ action, via, subject }) => `${action} ${via} ${subject}`),
    ["session.created api shop", "session.changed api shop", "session.deleted api shop", "session.created api kept"],
  );
  const { deleteUser } = await import("../../../src/accounts/people/users.ts");
  await deleteUser(service.database, userId);
  assert.equal((await service.pool.query("select 1 from page_sessions where user_id = $1", [userId])).rowCount, 0);
  assert.equal(
    (await service.pool.query("select 1 from audit_entries where account_id = $1 and subject is not null", [userId])).rowCount,
    0,
  );
});

test("page sessions: secrets in a state never appear in any table, log line, Redis key, stored file, explanation or error", async (t) => {
  site.serve({ "/quiet": "<p>Nothing of it is on this page.", "/never": () => {} });
  const { key, userId } = await service.createAccount();
  await save(key, "shop", wholeState());
  const answers = [
    await send("GET", "/v1/sessions", key),
    await send("POST", "/v1/screenshots/take", key, {
      url: `${site.origin}/quiet`,
      session: "shop",
      explain: true,
      is_cached: true,
      response_type: "json",
    }),
    await send("POST", "/v1/captures", key, { url: `${site.origin}/quiet`, session: "shop", async: true, outputs: [{ format: "text" }] }),
    await send("POST", "/v1/screenshots/take", key, { url: `${site.origin}/never`, session: "shop", explain: true, timeout: 2 }),
    await send("POST", "/v1/screenshots/take", key, { url: `${site.origin}/quiet`, session: "shop", dry_run: true }),
  ];
  const queued = answers[2]?.json.id;
  answers.push(await send("GET", `/v1/captures/${queued}?wait=60`, key));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 202, 400, 200, 200],
  );
  const { rows: tables } = await service.pool.query(
    "select schemaname || '.' || tablename as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
  );
  const rows = await Promise.all(tables.map(({ name }) => service.pool.query(`select t::text as row from ${name} t`)));
  const { redis } = await createTestRedis(t);
  const keys = await redis.keys(`*${service.env.REDIS_KEY_PREFIX}*`);
  const values = await Promise.all(keys.map((name) => redis.call("dump", name).then(String, String)));
  const folder = fileURLToPath(service.env.STORAGE_URL ?? "");
  const files = globSync("**/*", { cwd: folder, withFileTypes: true }).filter((file) => file.isFile());
  const places: Record<string, string[]> = {
    answers: answers.map(({ text, headers }) => text + JSON.stringify([...headers])),
    tables: rows.flatMap((result) => result.rows.map(({ row }) => row)),
    redis: [...keys, ...values],
    files: files.filter(({ name }) => !name.endsWith(".txt")).map((file) => readFileSync(`${file.parentPath}/${file.name}`, "latin1")),
    log: [service.logged()],
  };
  for (const [place, texts] of Object.entries(places)) {
    assert.ok(texts.length > 0 && texts.some((text) => text.length > 0), place);
    for (const secret of Object.values(secrets))
      for (const form of [secret, Buffer.from(secret).toString("hex"), Buffer.from(secret).toString("base64").slice(0, -2)])
        assert.ok(!texts.some((text) => text.includes(form)), `${place} has ${form}`);
  }
  // Encrypted for its account and row; moved to another row, it can't be decrypted.
  const { userId: thief, key: theirs } = await service.createAccount();
  await service.pool.query("update page_sessions set user_id = $1 where user_id = $2", [thief, userId]);
  const stolen = await service.take({ url: `${site.origin}/quiet`, api_key: theirs, session: "shop" });
  assert.match((await stolen.json()).error, /can't be decrypted/);
});

longTest("page sessions: a capture that ends while storage is being filled leaves no unhandled rejection", async () => {
  const { key } = await service.createAccount();
  const origins = Array.from({ length: 20 }, (_, index) => ({ origin: `http://a${index}.example` }));
  await save(key, "many", { cookies: [cookieOf("1")], origins });
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on("unhandledRejection", note);
  for (let attempt = 0; attempt < 12; attempt += 1) {
    const query = new URLSearchParams({ url: `${site.origin}/?${attempt}`, api_key: key, session: "many" });
    await fetch(`${service.origin}/v1/screenshots/take?${query}`, { signal: AbortSignal.timeout(60 + attempt * 30) }).catch(() => {});
  }
  assert.match((await seen(key, { session: "many" })).text, /Server: 1\./);
  process.off("unhandledRejection", note);
  assert.deepEqual(unhandled, []);
});
