/** Settings: missing, invalid and contradictory ones prevent startup, and all are reported. */

import assert from "node:assert/strict";
import { test } from "node:test";
import Fastify from "fastify";
import { freePort } from "../../scripts/stack/ports.ts";
import { settingProperties } from "../../src/settings/config.ts";
import { ConfigError, readConfig } from "../../src/settings/read-config.ts";
import { spawnProcess, spawnServer } from "../support/process.ts";

const required = [
  "NODE_ENV",
  "AUTH_SECRET",
  "REDIS_URL",
  "STORAGE_URL",
  "STORAGE_BUCKET",
  "STORAGE_REGION",
  "STORAGE_ACCESS_KEY_ID",
  "STORAGE_SECRET_ACCESS_KEY",
];
const databaseParts = ["DATABASE_HOST", "DATABASE_NAME", "DATABASE_USER", "DATABASE_PASSWORD"];

const complete: Record<string, string> = {
  NODE_ENV: "production",
  AUTH_SECRET: "s3cret-".repeat(6),
  DATABASE_HOST: "db.example",
  DATABASE_NAME: "shots",
  DATABASE_USER: "ada",
  DATABASE_PASSWORD: "pass-word",
  REDIS_URL: "redis://localhost:6379",
  STORAGE_URL: "https://s3.example",
  STORAGE_BUCKET: "shots",
  STORAGE_REGION: "auto",
  STORAGE_ACCESS_KEY_ID: "id",
  STORAGE_SECRET_ACCESS_KEY: "storage-s3cret",
};

async function problems(env: Record<string, string>): Promise<string[]> {
  try {
    await readConfig(env);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    for (const problem of error.problems) assert.ok(error.message.includes(problem));
    return error.problems;
  }
}

function without(...names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(complete).filter(([name]) => !names.includes(name)));
}

test("complete settings are parsed into numbers and booleans, with defaults", async () => {
  const config = await readConfig({ ...complete, PORT: "8080", STORAGE_USE_PATH_STYLE_ENDPOINT: "true" });
  assert.equal(config.PORT, 8080);
  assert.equal(config.STORAGE_USE_PATH_STYLE_ENDPOINT, true);
  assert.equal(config.DATABASE_PORT, 5432);
  assert.equal(config.DEFAULT_QUALITY, 80);
  assert.equal(config.DEFAULT_API_KEY_PREFIX, "ss");
});

for (const name of [...required, ...databaseParts]) {
  test(`a missing or empty ${name} is the only problem reported`, async () => {
    for (const env of [without(name), { ...complete, [name]: "" }] as Record<string, string>[]) {
      const found = await problems(env);
      assert.equal(found.length, 1, found.join("\n"));
      assert.ok(found[0]?.startsWith(`${name} is missing`), found.join("\n"));
    }
  });
}

test("all missing settings are reported together", async () => {
  const found = await problems({});
  for (const name of [...required, ...databaseParts])
    assert.ok(
      found.some((problem) => problem.startsWith(`${name} is missing`)),
      name,
    );
  assert.equal(found.length, required.length + databaseParts.length);
});

test("DATABASE_URL provides all five parts, percent-decoded", async () => {
  const config = await readConfig({ ...without(...databaseParts), DATABASE_URL: "postgres://a%40b:p%2Fw@db.example:6543/shots" });
  assert.deepEqual(
    [config.DATABASE_HOST, config.DATABASE_PORT, config.DATABASE_NAME, config.DATABASE_USER, config.DATABASE_PASSWORD],
    ["db.example", 6543, "shots", "a@b", "p/w"],
  );
});

test("settings that contradict DATABASE_URL or REDIS_URL are rejected; equal ones are accepted", async () => {
  const url = "postgresql://ada:pass-word@db.example:5432/shots";
  assert.deepEqual(await problems({ ...complete, DATABASE_URL: url, DATABASE_PORT: "5432" }), []);
  assert.deepEqual(await problems({ ...complete, DATABASE_URL: url, DATABASE_HOST: "other", REDIS_PORT: "1" }), [
    "DATABASE_HOST contradicts DATABASE_URL: set only one of them, or both to the same value",
    "REDIS_PORT contradicts REDIS_URL: set only one of them, or both to the same value",
  ]);
});

test("every invalid value is reported with what is allowed; secret values are omitted", async () => {
  const found = await problems({
    ...complete,
    PORT: "http",
    NODE_ENV: "prod",
    AUTH_SECRET: "tooshort",
    SCREENSHOT_TIMEOUT: "10",
    DEFAULT_API_KEY_PREFIX: "No-Good",
    DATABASE_URL: "mysql://ada:pass-word@x/y",
  });
  assert.deepEqual(found.toSorted(), [
    "AUTH_SECRET is invalid; it must be a string of at least 32 characters",
    "DATABASE_URL must begin with postgresql://",
    'DEFAULT_API_KEY_PREFIX is "No-Good"; it must be at most 20 lower-case letters, digits and underscores, starting with a letter',
    'NODE_ENV is "prod"; it must be one of development, production',
    'PORT is "http"; it must be an integer from 1 to 65535',
    'SCREENSHOT_TIMEOUT is "10"; it must be a whole number of milliseconds from 1000 to 90000',
  ]);
});

test("a number must have digits and be finite: spaces and Infinity are reported like any other text", async () => {
  for (const text of [" ", "\n", "Infinity", "1e400", "NaN"])
    for (const [name, expected] of [
      ["PORT", "an integer from 1 to 65535"],
      ["MAX_SESSIONS", "an integer from 0 to 10000"],
      ["OTEL_TRACES_SAMPLER_ARG", "a number from 0 to 1"],
    ] as const)
      assert.deepEqual(await problems({ ...complete, [name]: text }), [`${name} is ${JSON.stringify(text)}; it must be ${expected}`]);
});

test("an invalid DATABASE_URL is the only problem reported for the database", async () => {
  const notUrl =
    "DATABASE_URL is not a URL such as postgresql://user:password@host:5432/name; percent-encode special characters in the user name and password, such as %23 for #";
  for (const [url, problem] of [
    ["mysql://ada:pass-word@x/y", "DATABASE_URL must begin with postgresql://"],
    ["db.example/shots", notUrl],
    ["postgresql://u:pa#ss@h/d", notUrl],
    ["postgresql://u:p%w@h/d", notUrl],
    [
      "postgresql://u:24?kWq8Secret@h/d",
      "DATABASE_URL contains an unexpected ?; percent-encode special characters in the user name and password, such as %23 for #",
    ],
    ["postgresql://u:p@h/d?sslmode=disable&sslmode=require", "DATABASE_URL has sslmode more than once"],
    ["postgresql://u:p@h/d%00", "DATABASE_URL contains an encoded control character, such as %00 or %0A: remove it"],
    ["postgresql://u:p%0A@h/d", "DATABASE_URL contains an encoded control character, such as %00 or %0A: remove it"],
    ["postgresql://u:p@a,b/d", "DATABASE_URL lists several hosts: list only the one that accepts writes"],
  ] as const)
    assert.deepEqual(await problems({ ...without(...databaseParts), DATABASE_URL: url }), [problem]);
});

test("an invalid REDIS_URL is reported without any part of its password; its path must be a database number", async () => {
  for (const [url, problem] of [
    ["redis://h/cache", "REDIS_URL has a path that is not a database number, such as /0"],
    ["redis://h/-1", "REDIS_URL has a path that is not a database number, such as /0"],
    ["redis://h/99999999999999999999", "REDIS_URL has a path that is not a database number, such as /0"],
    ["redis://:p%00@h", "REDIS_URL contains an encoded control character, such as %00 or %0A: remove it"],
    [
      "redis://u:24?Secret@h",
      "REDIS_URL contains an unexpected ?; percent-encode special characters in the user name and password, such as %23 for #",
    ],
  ] as const)
    assert.deepEqual(await problems({ ...complete, REDIS_URL: url }), [problem]);
});

test("DATABASE_URL may name a socket folder", async () => {
  const folder = await readConfig({ ...without(...databaseParts), DATABASE_URL: "postgresql://u:p@%2Fvar%2Frun%2Fpostgresql/d" });
  assert.equal(folder.DATABASE_HOST, "/var/run/postgresql");
});

test("the ports of one process differ; a port that isn't opened doesn't count", async () => {
  const same = (name: string, other: string, use: string) => [`${name} and ${other} are the same: use a different port for ${use}`];
  const cases: [Record<string, string>, string[]][] = [
    [{ CDP_PORT: "3000" }, same("CDP_PORT", "PORT", "the browser endpoint")],
    [{ CDP_PORT: "9090" }, same("CDP_PORT", "METRICS_PORT", "the browser endpoint")],
    [{ METRICS_PORT: "3000", ROLE: "api" }, same("METRICS_PORT", "PORT", "the metrics")],
    [{ CDP_PORT: "9090", ENABLE_METRICS: "false" }, []],
    [{ CDP_PORT: "3000", ROLE: "api" }, []],
    [{ CDP_PORT: "3333" }, []],
  ];
  for (const [changes, expected] of cases) assert.deepEqual(await problems({ ...complete, ...changes }), expected, JSON.stringify(changes));
});

test("conflicting settings are reported", async () => {
  assert.deepEqual(await problems({ ...complete, DEFAULT_VIEWPORT_WIDTH: "5000", METRICS_PORT: "3000" }), [
    "METRICS_PORT and PORT are the same: use a different port for the metrics",
    "DEFAULT_VIEWPORT_WIDTH is larger than MAX_SCREENSHOT_WIDTH",
  ]);
});

const smtpProblem =
  "SMTP_URL is invalid; it must be the URL of a server that begins with smtp:// or smtps://, with special characters in the user name and password percent-encoded, such as # as %23";

test("mail requires a sender and an SMTP URL, whose password is never shown", async () => {
  const mail = { SMTP_URL: "smtp://ada:pass-word@mail.example:587", MAIL_FROM: "Tintype <noreply@example.com>" };
  assert.deepEqual(await problems({ ...complete, ...mail }), []);
  assert.deepEqual(await problems({ ...complete, ...mail, MAIL_FROM: "" }), [
    "MAIL_FROM is missing: e-mail needs a sender if SMTP_URL is set",
  ]);
  assert.deepEqual(await problems({ ...complete, SMTP_URL: "mail.example:pass-word", MAIL_FROM: "nobody" }), [
    smtpProblem,
    'MAIL_FROM is "nobody"; it must be an e-mail address, or a name and an address, such as Tintype <noreply@example.com>',
  ]);
  for (const server of ["smtp://mail.example:0", "smtp://", "smtps://mail.example:99999"])
    assert.deepEqual(await problems({ ...complete, ...mail, SMTP_URL: server }), [smtpProblem], server);
  for (const password of ["1/word", "1#word", "1?word"])
    assert.deepEqual(
      await problems({ ...complete, ...mail, SMTP_URL: `smtp://ada:${password}@mail.example:587` }),
      [smtpProblem],
      password,
    );
  const encoded = "smtp://ada:pass%23word@mail.example:587/?requireTLS=true";
  assert.deepEqual(await problems({ ...complete, ...mail, SMTP_URL: encoded }), []);
});

test("invalid hosts, proxies and URLs are reported with what is allowed", async () => {
  const hosts = "a host name or IP address, optionally with :port (IPv6 in brackets), or a CIDR such as 10.0.0.0/8";
  const url = "an http or https URL without user name, password";
  assert.deepEqual(await problems({ ...complete, EGRESS_ALLOWED_HOSTS: "10.0.0.0/8, http://intranet:8080/" }), [
    `EGRESS_ALLOWED_HOSTS: "http://intranet:8080/" is not valid (did you mean intranet:8080?); each entry must be ${hosts}`,
  ]);
  const found = await problems({
    ...complete,
    STORAGE_URL: "http://",
    STORAGE_ENDPOINT: "https://[",
    WEB_PUBLIC_URL: "http://a:b:c",
  });
  assert.deepEqual(found.toSorted(), [
    `STORAGE_ENDPOINT is "https://["; it must be ${url}, query and fragment`,
    `STORAGE_URL is "http://"; it must be ${url}, query and fragment, or file:/a/folder, with ? and # percent-encoded`,
    `WEB_PUBLIC_URL is "http://a:b:c"; it must be ${url}, path, query and fragment`,
  ]);
  assert.deepEqual(await problems({ ...complete, WEB_SERVER_URL: "javascript:alert(1)" }), [
    `WEB_SERVER_URL is "javascript:alert(1)"; it must be ${url}, query and fragment`,
  ]);
  assert.deepEqual(await problems({ ...complete, STORAGE_URL: "s3.example" }), [
    `STORAGE_URL is "s3.example"; it must be ${url}, query and fragment, or file:/a/folder, with ? and # percent-encoded`,
  ]);
});

/** For each setting: values that are refused, and values that are accepted. */
const tables: Record<string, { wrong: string[]; right: string[] }> = {
  PUBLIC_URL: {
    wrong: [
      "http://u:p4ss@x.test",
      "http://x.test/?p4ss",
      "http://x.test/#p4ss",
      "http://x.test:0",
      "http://[zz]",
      "ftp://x.test",
      "http:/x.test",
    ],
    right: ["http://[::1]:3000", "https://bücher.example/ä", "https://x.test/below/"],
  },
  WEB_PUBLIC_URL: {
    wrong: ["http://u:p4ss@x.test/", "http://x.test/path", "http://x.test?p4ss", "localhost:3001"],
    right: ["http://localhost:3001", "https://x.test/"],
  },
  WEB_SERVER_URL: {
    wrong: ["http://u:p4ss@x.test", "http://x.test/?p4ss", "http://x.test/#a"],
    right: ["http://api:3000", "http://api:3000/"],
  },
  WEB_IDP_ISSUER: { wrong: ["https://u:p4ss@x.test", "https://x.test/?p4ss", "https://"], right: ["https://x.test/realms/a"] },
  BILLING_BASE_URL: { wrong: ["https://u:p4ss@x.test", "https://x.test/?p4ss", "x.test"], right: ["http://127.0.0.1:9"] },
  STORAGE_URL: {
    wrong: [
      "http://u:p4ss@s3.test",
      "http://u@s3.test",
      "http://s3.test/?a=p4ss",
      "http://s3.test/#c",
      "http://s3.test:0",
      "file:/a?p4ss",
      "file:/a#b",
    ],
    right: ["http://s3.test:8333", "https://s3.test/storage/v1/s3", "file:/a b", "file:///a%23b"],
  },
  STORAGE_ENDPOINT: { wrong: ["http://u:p4ss@s3.test", "http://s3.test/?a=p4ss", "file:/a"], right: ["http://s3.test:8333"] },
  STORAGE_BUCKET: {
    wrong: ["a/b", "../x", "a..b", "t\u00efn", "ab", "-abc", "abc-", "a b", "x".repeat(256)],
    right: ["abc", "my.bucket-1", "Legacy_Bucket", "x".repeat(255)],
  },
  STORAGE_REGION: { wrong: ["a b/c", "eu_west", "-eu", "x".repeat(64)], right: ["auto", "eu-central-1", "us"] },
  STORAGE_ACCESS_KEY_ID: { wrong: ["a p4ss", "s\u00e9cret-p4ss"], right: ["AKIA/+="] },
  STORAGE_SECRET_ACCESS_KEY: { wrong: ["a p4ss", "s\u00e9cret-p4ss"], right: ["abc/+="] },
  HOST: {
    wrong: ["[::1]", "127.0.0.1:3000", "localhost:3000", "http://localhost", "/tmp/x.sock", "10.0.0.1,10.0.0.2", "::zz"],
    right: ["::1", "::", "0.0.0.0", "fe80::1%eth0", "localhost", "api_1.example"],
  },
  WEB_HOST: { wrong: ["[::1]", "web:3001", "a b", "http://web"], right: ["web", "::1"] },
  REDIS_HOST: { wrong: ["[::1]", "redis:6379", "user@redis"], right: ["redis", "::1"] },
  DATABASE_HOST: { wrong: ["[::1]", "db:5432", "a,b", "u@db"], right: ["db", "::1", "/var/run/postgresql"] },
  OTEL_EXPORTER_OTLP_ENDPOINT: { wrong: ["http://u:p4ss@c", "http://c/?p4ss", "http://c/#a"], right: ["http://c:4318/otel/"] },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: { wrong: ["http://u:p4ss@c", "http://c/#a"], right: ["http://c:4318/v1/traces?a=b"] },
};

for (const [name, { wrong, right }] of Object.entries(tables))
  test(`${name}: values that can't work are refused by its name, with what is valid, without a password`, async () => {
    const env = name === "REDIS_HOST" ? { ...complete, REDIS_URL: "redis://" } : complete;
    for (const value of wrong) {
      const [found = "", ...others] = await problems({ ...env, [name]: value });
      assert.match(found, new RegExp(`^${name} is .*; it must be `), value);
      assert.deepEqual([found.includes("p4ss"), others], [false, []], found);
    }
    for (const value of right) assert.deepEqual(await problems({ ...env, [name]: value }), [], value);
  });

test("a STORAGE_URL without a usable folder is refused with all other wrong settings, not only when the store is opened", async () => {
  for (const [url, problem] of [
    ["file:", /^STORAGE_URL does not name a folder/],
    ["file:/", /^STORAGE_URL does not name a folder/],
    ["file://host/x", /^STORAGE_URL names a host/],
    ["file:///a%2Fb", /^STORAGE_URL is not a usable file URL/],
    ["file:/a/%00", /^STORAGE_URL contains an encoded control character, such as %00/],
  ] as const) {
    const [first = "", second = "", ...others] = await problems({ ...complete, STORAGE_URL: url, CDP_PORT: "9090" });
    assert.match(first, problem, url);
    assert.match(second, /^CDP_PORT and METRICS_PORT are the same/);
    assert.deepEqual(others, []);
  }
});

test("TRUST_PROXY accepts and refuses exactly the ranges that Fastify does", async () => {
  const right = [
    "10.0.0.0/8",
    "10.0.0.0/08",
    "10.0.0.0/255.255.0.0",
    "::1",
    "::ffff:10.0.0.0/104",
    "fe80::1%eth0",
    "::/1",
    "1.2.3.4/32",
    "loopback",
  ];
  const wrong = ["0.0.0.0/0", "::/0", "10.0.0.0/00", "10.0.0.0/255.0.255.0", "10.0.0.0/0.0.0.0", "10.0.0.0/33", "::1/129", "::1/255.0.0.0"];
  for (const entry of [...wrong, "10.0.0.0/8/8", "10.0.0.0/", "::1/999", "fe80::%a.b", "my-proxy", "[::1]"]) {
    assert.throws(() => Fastify({ trustProxy: [entry] }), TypeError, entry);
    assert.deepEqual(await problems({ ...complete, TRUST_PROXY: `10.0.0.0/8, ,${entry}` }), [
      `TRUST_PROXY contains "${entry}"; it must be a comma-separated list of IP addresses and CIDRs such as 10.0.0.0/8, but not of length 0`,
    ]);
  }
  for (const entry of right) {
    Fastify({ trustProxy: [entry] });
    assert.deepEqual(await problems({ ...complete, TRUST_PROXY: ` ${entry},\n10.0.0.0/8\n` }), [], entry);
  }
});

test("every text is refused with white space at its ends, blank, or with a control character, without its value; lists are not", async () => {
  const texts = Object.entries(settingProperties).filter(
    ([, { type, enum: choices, const: only }]) => type === "string" && !choices && !only,
  );
  const secrets = texts.filter(([, { secret }]) => secret).map(([name]) => name);
  assert.ok(secrets.length > 8, secrets.join());
  const lists: Record<string, string> = {
    TRUST_PROXY: "10.0.0.1",
    EGRESS_ALLOWED_HOSTS: "10.0.0.1",
    PROXIES: "de=http://host:1",
    SIGN_UP_DOMAINS: "example.com",
    OTEL_EXPORTER_OTLP_HEADERS: "a=b",
    OTEL_RESOURCE_ATTRIBUTES: "a=b",
  };
  const value = "s3cret-".repeat(6);
  const ends = "begins or ends with white space or a line break: remove it (files with secrets often end with a line break)";
  for (const [name] of texts) {
    if (lists[name] !== undefined) {
      assert.deepEqual(await problems({ ...complete, [name]: ` ${lists[name]}\n` }), [], name);
      continue;
    }
    const expected = (problem: string) => [`${name} ${problem}`];
    for (const text of [`${value}\n`, `${value}\r\n`, ` ${value}`, `${value}\t`, `\ufeff${value}`])
      assert.deepEqual(await problems({ ...complete, [name]: text }), expected(ends), name);
    const blank = "is blank: remove it, or set it to a value that isn't only white space";
    assert.deepEqual(await problems({ ...complete, [name]: " ".repeat(40) }), expected(blank), name);
    const control = "contains a line break or another control character: remove it";
    assert.deepEqual(await problems({ ...complete, [name]: `${value}\n${value}` }), expected(control), name);
  }
});

test("invalid tracing settings are reported with what is allowed; header values are omitted", async () => {
  const pairs = "use comma-separated key=value pairs, with special characters in values percent-encoded";
  const schema = { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_TRACES_SAMPLER: "jaeger_remote", OTEL_TRACES_SAMPLER_ARG: "2" };
  const samplers = "always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio";
  const endpoints = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://user:password@collector/v1/traces",
  };
  const without = "an http or https URL without user name, password";
  const headers = "credentials belong in OTEL_EXPORTER_OTLP_HEADERS";
  assert.deepEqual(await problems({ ...complete, ...endpoints }), [
    `OTEL_EXPORTER_OTLP_ENDPOINT is "collector:4317"; it must be ${without}, query and fragment: ${headers}, a query in OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`,
    `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is invalid; it must be ${without} and fragment: ${headers}`,
  ]);
  assert.deepEqual(await problems({ ...complete, ...schema }), [
    'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"; it must be http/protobuf',
    `OTEL_TRACES_SAMPLER is "jaeger_remote"; it must be one of ${samplers}`,
    'OTEL_TRACES_SAMPLER_ARG is "2"; it must be a number from 0 to 1',
  ]);
  const found = await problems({
    ...complete,
    OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=team,authorization",
    OTEL_RESOURCE_ATTRIBUTES: "a=%ff",
  });
  assert.deepEqual(found, [
    `OTEL_EXPORTER_OTLP_HEADERS: pair 2 is not valid; ${pairs}`,
    `OTEL_RESOURCE_ATTRIBUTES: pair 1 is not valid; ${pairs}`,
  ]);
});

test("an invalid EGRESS_ALLOWED_HOSTS ends the process with code 1 and a single log line without a stack trace", async (t) => {
  const server = spawnServer(t, { ...complete, EGRESS_ALLOWED_HOSTS: "http://intranet" });
  assert.deepEqual(await server.exited, { code: 1, signal: null });
  const line = JSON.parse(server.output().trim());
  assert.match(line.msg, /EGRESS_ALLOWED_HOSTS/);
  assert.equal(line.problems.length, 1);
  assert.equal("err" in line, false);
});

test("missing settings end the process with code 1 and are reported without secrets", async (t) => {
  const server = spawnServer(t, without("STORAGE_BUCKET", "DATABASE_NAME"));
  assert.deepEqual(await server.exited, { code: 1, signal: null });
  const line = JSON.parse(server.output().trim());
  assert.equal(line.level, 60);
  assert.equal(line.problems.length, 2);
  for (const name of ["STORAGE_BUCKET", "DATABASE_NAME"]) assert.ok(line.msg.includes(`${name} is missing`));
  for (const secret of ["s3cret", "pass-word"]) assert.equal(server.output().includes(secret), false);
});

test("an unreachable database ends the process with code 1 and a message", async (t) => {
  const port = await freePort(); // nothing is listening on it
  const start = 'import { run } from "./src/start/run.ts"; await run(process.env, { patienceMs: 0 })';
  const server = spawnProcess(t, [process.execPath, "--input-type=module", "--eval", start], {
    ...complete,
    ROLE: "api",
    DATABASE_HOST: "127.0.0.1",
    DATABASE_PORT: String(port),
  });
  assert.deepEqual(await server.exited, { code: 1, signal: null });
  assert.match(server.output(), /"level":60.*The database could not be reached.*ECONNREFUSED/);
  assert.equal(server.output().includes("pass-word"), false);
});

test("reading some settings neither requires nor validates the others", async () => {
  const env = { DATABASE_URL: "postgresql://ada:pass@db.example/shots", REDIS_URL: "none", REDIS_HOST: "elsewhere", PORT: "none" };
  assert.deepEqual(await readConfig(env, ["DATABASE_HOST", "DATABASE_URL", "DEFAULT_QUALITY"]), {
    DATABASE_HOST: "db.example",
    DATABASE_URL: env.DATABASE_URL,
    DEFAULT_QUALITY: 80,
  });
});
