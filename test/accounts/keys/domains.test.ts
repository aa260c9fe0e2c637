/** A key's lists of domains and targets: which entries are valid, and what they match. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizeDomainEntries, normalizeDomainEntry } from "../../../src/accounts/keys/domains.ts";
import { assertCallerAllowed, callerOrigin, targetAllowed } from "../../../src/accounts/keys/restrictions.ts";
import { AppError } from "../../../src/shared/errors.ts";

interface Row {
  list: string[];
  origin?: string;
  referer?: string;
  allowMissingOrigin?: boolean;
}

function isAllowed({ list, origin, referer, allowMissingOrigin = false }: Row): boolean {
  try {
    assertCallerAllowed({ allowedDomains: list.map(normalizeDomainEntry), allowMissingOrigin }, { origin, referer });
    return true;
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === "domain_not_allowed" && error.status === 403, String(error));
    return false;
  }
}

const table: [guarantee: string, expected: boolean, rows: Row[]][] = [
  [
    "a listed host is allowed on any port, in any case, with a trailing dot, over http and https",
    true,
    ["https://example.com", "http://example.com", "https://example.com:8443", "https://EXAMPLE.com.", "HTTPS://Example.COM"].map(
      (origin) => ({ list: ["example.com"], origin }),
    ),
  ],
  [
    "a host that merely resembles a listed one is refused",
    false,
    ["https://www.example.com", "https://evilexample.com", "https://example.com.evil.net", "https://example.com@evil.net"].map(
      (origin) => ({ list: ["example.com"], origin }),
    ),
  ],
  [
    "a wildcard matches subdomains of every depth",
    true,
    ["https://a.b.example.com", "https://a.example.com:444"].map((origin) => ({ list: ["*.example.com"], origin })),
  ],
  [
    "a wildcard matches neither the apex nor hosts that merely have the same ending",
    false,
    ["https://example.com", "https://evilexample.com"].map((origin) => ({ list: ["*.example.com"], origin })),
  ],
  [
    "a listed scheme excludes the other scheme",
    false,
    [
      { list: ["https://example.com"], origin: "http://example.com" },
      { list: ["http://example.com"], origin: "https://example.com" },
    ],
  ],
  ["a listed scheme allows that scheme on any port", true, [{ list: ["https://example.com"], origin: "https://example.com:8443" }]],
  [
    "a listed port excludes all others",
    false,
    [
      { list: ["localhost:3000"], origin: "http://localhost:5173" },
      { list: ["localhost:3000"], origin: "http://localhost" },
    ],
  ],
  [
    "a listed port matches even if the browser omits it because it is the default",
    true,
    [
      { list: ["localhost:3000"], origin: "http://localhost:3000" },
      { list: ["example.com:443"], origin: "https://example.com" },
      { list: ["example.com:80"], origin: "http://example.com" },
    ],
  ],
  ["the default port is that of the origin's scheme", false, [{ list: ["example.com:443"], origin: "http://example.com" }]],
  [
    "an international name is compared in punycode",
    true,
    [
      { list: ["bücher.de"], origin: "https://xn--bcher-kva.de" },
      { list: ["xn--bcher-kva.de"], referer: "https://bücher.de/x" },
    ],
  ],
  [
    "an IP address is compared in its canonical form",
    true,
    [
      { list: ["0x7f.1"], origin: "http://127.0.0.1:8080" },
      { list: ["[0:0::1]"], origin: "http://[::1]:3000" },
    ],
  ],
  [
    "without an Origin header, the Referer's origin counts",
    true,
    [
      { list: ["example.com"], referer: "https://example.com/a?b" },
      { list: ["example.com"], origin: "null", referer: "https://example.com/" },
    ],
  ],
  [
    "the Origin header takes precedence over the Referer",
    false,
    [{ list: ["example.com"], origin: "https://evil.net", referer: "https://example.com/" }],
  ],
  [
    "a null Origin doesn't hide a Referer from another site",
    false,
    [{ list: ["example.com"], origin: "null", referer: "https://evil.net/" }],
  ],
  [
    "a request without Origin and Referer is refused",
    false,
    [{ list: ["example.com"] }, { list: ["example.com"], origin: "null" }, { list: ["example.com"], origin: "", referer: "" }],
  ],
  [
    "a request without Origin and Referer is allowed if the key allows it",
    true,
    [
      { list: ["example.com"], allowMissingOrigin: true },
      { list: ["example.com"], origin: "null", allowMissingOrigin: true },
    ],
  ],
  [
    "a key that allows a missing origin still refuses another site's",
    false,
    [
      { list: ["example.com"], origin: "https://evil.net", allowMissingOrigin: true },
      { list: ["example.com"], referer: "https://evil.net/", allowMissingOrigin: true },
      { list: ["example.com"], origin: "garbage", allowMissingOrigin: true },
      { list: ["example.com"], referer: "garbage", allowMissingOrigin: true },
    ],
  ],
  [
    "an origin that is neither http nor https is refused",
    false,
    [
      "garbage",
      "chrome-extension://abcdefgh",
      "file:///home/a.html",
      "file://example.com",
      "https://",
      "https://evil.net@example.com",
      "https://example.com/path",
      "https://evil.net, https://example.com",
    ].map((origin) => ({ list: ["example.com"], origin })),
  ],
  [
    "an unusable Origin isn't replaced by the Referer",
    false,
    [{ list: ["example.com"], origin: "garbage", referer: "https://example.com/" }],
  ],
  ["one matching entry is enough", true, [{ list: ["a.test", "*.b.test", "example.com"], origin: "https://example.com" }]],
];

for (const [guarantee, expected, rows] of table) {
  test(guarantee, () => {
    for (const row of rows) assert.equal(isAllowed(row), expected, JSON.stringify(row));
  });
}

test("valid, missing and unreadable origins are distinguished", () => {
  assert.equal(String(callerOrigin({ origin: "https://A.example" })), "https://a.example/");
  assert.equal(callerOrigin({}), "missing");
  assert.equal(callerOrigin({ referer: "about:blank" }), "unreadable");
});

test("an entry that isn't normalized matches nothing", () => {
  for (const entry of ["", "*", "*.", "EXAMPLE.com", "https://example.com/", "example.com:", "[example.com"]) {
    assert.throws(
      () => assertCallerAllowed({ allowedDomains: [entry], allowMissingOrigin: false }, { origin: "https://example.com" }),
      { code: "domain_not_allowed" },
      entry,
    );
  }
});

const normalForms: [text: string, stored: string][] = [
  ["example.com", "example.com"],
  ["  Example.COM.  ", "example.com"],
  ["HTTPS://Example.com", "https://example.com"],
  ["http://*.Example.com:8080", "http://*.example.com:8080"],
  ["*.example.co.uk", "*.example.co.uk"],
  ["bücher.de", "xn--bcher-kva.de"],
  ["*.BÜCHER.de.", "*.xn--bcher-kva.de"],
  ["0x7f.1", "127.0.0.1"],
  ["2130706433:80", "127.0.0.1:80"],
  ["[2001:DB8:0:0::1]", "[2001:db8::1]"],
  ["[::1]:3000", "[::1]:3000"],
  ["localhost:03000", "localhost:3000"],
  ["my_host.internal", "my_host.internal"],
  ["*.localhost", "*.localhost"],
  ["*.intranet", "*.intranet"],
  ["github.io", "github.io"],
  ["*.me.github.io", "*.me.github.io"],
];

for (const [text, stored] of normalForms) {
  test(`the entry "${text}" is stored as "${stored}"`, () => {
    assert.equal(normalizeDomainEntry(text), stored);
    assert.equal(normalizeDomainEntry(stored), stored);
  });
}

const refusals: [why: RegExp, entries: string[]][] = [
  [/must not be empty/, ["", "   "]],
  [/path/, ["example.com/", "https://example.com/a", "example.com\\a", "https:///example.com"]],
  [/query/, ["example.com?a=1", "https://example.com#top"]],
  [/user name/, ["me@example.com", "https://me:secret@example.com"]],
  [/only http/, ["ftp://example.com", "chrome-extension://abc", "file://example.com"]],
  [/leave the list empty/, ["*", "https://*", "*:8080"]],
  [/only allowed as the first label/, ["a.*.com", "*example.com", "example.*", "*.*.com", "ex*mple.com", "**"]],
  [/under which anyone can register a domain/, ["*.com", "*.co.uk", "*.github.io", "https://*.COM.", "*.xn--p1ai", "*.рф"]],
  [/no subdomains/, ["*.127.0.0.1", "*.0x7f.1", "*.[::1]"]],
  [/in brackets/, ["::1", "2001:db8::1"]],
  [/port/, ["example.com:", "example.com:0", "example.com:65536", "example.com:http", "mailto:me"]],
  [
    /not a host name/,
    [
      "exa mple.com",
      "exam\tple.com",
      "%65xample.com",
      "a..b",
      ".",
      "*.",
      ".example.com",
      "[::1",
      "[example.com]",
      "1.2.3.4.5",
      "a,b",
      `${"a".repeat(64)}.com`,
      `${"a.".repeat(130)}com`,
    ],
  ],
];

for (const [why, entries] of refusals) {
  test(`an invalid entry is rejected with the reason: ${why.source}`, () => {
    for (const entry of entries) assert.throws(() => normalizeDomainEntry(entry), why, entry);
  });
}

test("duplicates are removed from a list, which may have at most 50 entries", () => {
  assert.deepEqual(normalizeDomainEntries(["example.com", "EXAMPLE.com.", "b.test"]), ["example.com", "b.test"]);
  const hosts = Array.from({ length: 51 }, (_, index) => `h${index}.test`);
  assert.equal(normalizeDomainEntries(hosts.slice(0, 50)).length, 50);
  assert.throws(() => normalizeDomainEntries(hosts), /at most 50/);
});

test("a key without allowed targets can capture anything, a key with allowed targets only those", () => {
  const url = (text: string) => new URL(text);
  assert.equal(targetAllowed([], url("https://anything.test/")), true);
  const entries = ["example.com", "*.example.org", "https://secure.test", "port.test:8080"];
  for (const text of [
    "https://example.com/a?b#c",
    "http://example.com.:81/",
    "https://a.b.example.org/",
    "https://secure.test/",
    "http://port.test:8080/x",
  ]) {
    assert.equal(targetAllowed(entries, url(text)), true, text);
  }
  for (const text of [
    "https://example.com.evil.net/",
    "https://example.com@evil.net/",
    "https://example.org/",
    "http://secure.test/",
    "http://port.test/",
    "ftp://example.com/",
    "data:text/html,example.com",
  ]) {
    assert.equal(targetAllowed(entries, url(text)), false, text);
  }
});

test("a page that was allowed before allows no other one, and none on another list", () => {
  const key = { allowedDomains: ["example.com"], allowMissingOrigin: false };
  const allows = (allowedDomains: string[], origin: string | undefined) => {
    try {
      assertCallerAllowed({ ...key, allowedDomains }, { origin });
      return true;
    } catch {
      return false;
    }
  };
  const list = ["example.com"];
  const asked = ["https://example.com", "https://example.com", "https://evil.net", "null", undefined, "https://example.com"];
  assert.deepEqual(
    asked.map((origin) => allows(list, origin)),
    [true, true, false, false, false, true],
  );
  assert.equal(allows(["other.com"], "https://example.com"), false);
});
