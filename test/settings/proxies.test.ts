/** `PROXIES`: entries of every form, and errors that quote none of them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseProxies } from "../../src/settings/proxies.ts";

test("PROXIES: names, plans, credentials, addresses and ports of every form", () => {
  const text = `DE=http://user:p%40ss@Proxy.example:8080 us[pro,team-1]=SOCKS5://10.0.0.7:1080/
    office-2=socks5://only-user@[2001:DB8::1]:1080\tempty=http://a:@127.1:80`;
  const shown = parseProxies(text).map(({ name, allowed, proxy }) => {
    const { protocol, host, port, credentials, isTrusted } = proxy;
    return `${name} [${allowed}] ${protocol} ${credentials ? `${credentials.user}/${credentials.password} ` : ""}${host} ${port} ${isTrusted}`;
  });
  assert.deepEqual(shown, [
    "de [] http user/p@ss proxy.example 8080 true",
    "us [pro,team-1] socks5 10.0.0.7 1080 true",
    "office-2 [] socks5 only-user/ [2001:db8::1] 1080 true",
    "empty [] http a/ 127.0.0.1 80 true",
  ]);
  assert.deepEqual(parseProxies(" \n "), []);
});

test("PROXIES: invalid entries are named by their position, without their content", () => {
  const good = "de=http://user:s3cret@host:8080";
  const wrong: [string, RegExp][] = [
    ["http://user:s3cret@host:8080", /^entry 2 is not valid/],
    ["fr:http://user:s3cret@host:8080", /^entry 2 is not valid/],
    ["fr[]=http://user:s3cret@host:8080", /^entry 2 is not valid/],
    [`${"x".repeat(33)}=http://user:s3cret@host:8080`, /^entry 2 is not valid/],
    ["fr=https://user:s3cret@host:8080", /^entry 2 has no valid URL; it must be http:/],
    ["fr=http://user:s3cret@host", /^entry 2 has no valid URL/],
    ["fr=http://user:s3cret#1@host:8080", /^entry 2 has no valid URL/],
    ["fr=http://us%3Aer:s3cret@host:8080", /^entry 2 has no valid URL/],
    ["fr=socks5://user:s3cret%0a@host:1080", /^entry 2 has no valid URL/],
    [`fr=socks5://user:s3cret${"é".repeat(130)}@host:1080`, /^entry 2 has no valid URL/],
    ["fr=http://user:s3cret@host:0", /^entry 2 has no valid URL/],
    ["fr=http://:s3cret@host:80", /^entry 2 has no valid URL/],
    ["De=socks5://other:s3cret@host:1080", /^entry 2 has the name of an earlier entry/],
  ];
  for (const [entry, expected] of wrong) {
    assert.throws(
      () => parseProxies(`${good}\n${entry}`),
      ({ message }: Error) => expected.test(message) && !message.includes("s3cret"),
      entry,
    );
  }
  assert.throws(() => parseProxies(Array.from({ length: 301 }, (_, index) => `n${index}=http://host:80`).join(" ")), /at most 300/);
});
