/** Rules of robots.txt files, with the examples of RFC 9309. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { mayRequest, parseRobots, type Robots } from "../../src/sitemaps/robots.ts";
import { assertLinear } from "../support/linear.ts";

/** Runs all steps. */
function parsed(text: string): Robots | undefined {
  const steps = parseRobots(text);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

const robotsOf = (...lines: string[]) => parsed(lines.join("\n")) as Robots;
const may = (robots: Robots, path: string) => mayRequest(robots, new URL(path, "https://example.com"));

test("our own groups apply together, or those for all agents if there are none", () => {
  const robots = robotsOf(
    "Disallow: /before-any-agent",
    "User-agent: *",
    "Disallow: /for-all",
    "user-agent : OtherBot",
    "User-Agent: tintype/1.0 # us",
    "Disallow: /one",
    "Sitemap: https://example.com/sitemap.xml",
    "Crawl-delay: 3",
    "",
    "User-agent: Tintype",
    "Disallow: /two",
    "Crawl-delay: 60",
  );
  const paths = ["/before-any-agent", "/for-all", "/one", "/two"];
  assert.deepEqual(
    paths.map((path) => may(robots, path)),
    [true, true, false, false],
  );
  assert.equal(robots.crawlDelaySeconds, 10, "at most ten seconds");
  const forAll = robotsOf("User-agent: *", "Disallow: /for-all", "Crawl-delay: 0.5", "User-agent: tintypewriter", "Disallow: /");
  assert.deepEqual([may(forAll, "/for-all"), may(forAll, "/"), forAll.crawlDelaySeconds], [false, true, 0.5]);
});

test("the longest matching rule decides, and allows if two are equally long", () => {
  const robots = robotsOf(
    "User-agent: *",
    "Allow: /example/page/",
    "Disallow: /example/page/disallowed.gif",
    "Disallow: /same",
    "Allow: /same",
  );
  for (const [path, allowed] of [
    ["/example/page/", true],
    ["/example/page/disallowed.gif", false],
    ["/example/page/disallowed.gif?x", false],
    ["/same", true],
  ] as const)
    assert.equal(may(robots, path), allowed, path);
  const all = robotsOf("User-agent: *", "Disallow: /", "Allow: /open$");
  assert.deepEqual([may(all, "/open"), may(all, "/opened"), may(all, "/robots.txt")], [true, false, true]);
  assert.ok(may(robotsOf("User-agent: *", "Disallow:", "Disallow: relative"), "/relative"), "a rule without a path has no effect");
});

test("* stands for any text and $ for the end; queries count, and the spelling of percent-encoding doesn't", () => {
  const robots = robotsOf("User-agent: *", "Disallow: /*.pdf$", "Disallow: /*?print=", "Disallow: /caf%c3%a9/", "Disallow: /ツ");
  for (const [path, allowed] of [
    ["/a/b.pdf", false],
    ["/a/b.pdf?x", true],
    ["/a?print=1", false],
    ["/a?x&print=1", true],
    ["/caf%C3%A9/x", false],
    ["/café/x", false],
    ["/%E3%83%84", false],
  ] as const)
    assert.equal(may(robots, path), allowed, path);
});

test("a rule and a path match however each of them is percent-encoded", () => {
  const pairs: [rule: string, path: string, isMatch: boolean][] = [
    ["/*filter[", "/a?filter[x]=1", true],
    ["/*filter%5B", "/a?filter[x]=1", true],
    ["/{id}|a", "/%7Bid%7D%7Ca", true],
    ["/%7Ejoe/", "/~joe/", true],
    ["/~joe/", "/%7ejoe/", true],
    ["/%62az", "/baz", true],
    ["/b'a", "/b%27a", true],
    ["/a-%2A.html", "/a-*.html", true],
    ["/a-%2A.html", "/a-b.html", false],
    ["/price%24", "/price$", true],
    ["/price$", "/price$", false],
    ["/a%2Fb", "/a/b", false],
  ];
  for (const [rule, path, isMatch] of pairs)
    assert.equal(may(robotsOf("User-agent: *", `Disallow: ${rule}`), path), !isMatch, `${rule} ${path}`);
});

test("a file of line breaks, or of tiny lines, is read in short steps", () => {
  for (const [line, stepsMin] of [
    ["\n", 0],
    ["a\r", 2_000],
    ["allow:/é\n", 500],
  ] as const) {
    const steps = parseRobots(`user-agent: *\n${line.repeat(500_000 / line.length)}`);
    let count = 0;
    while (!steps.next().done) count += 1;
    assert.ok(count >= stepsMin, `${JSON.stringify(line)}: ${count} steps`);
  }
});

test("a file with too many rules for us is refused, and any file and path take linear time", () => {
  const many = (rule: string, count: number) => parsed(`User-agent: *\n${`${rule}\n`.repeat(count)}`);
  assert.ok(many("Disallow: /a", 5_000));
  assert.equal(many("Disallow: /a", 5_001), undefined);
  assert.ok(many("Disallow: /*a*b", 500));
  assert.equal(many("Disallow: /*a*b", 501), undefined);
  assert.equal(many(`Disallow: /${"*a".repeat(40)}`, 30), undefined, "each wildcard is a search");
  assert.ok(parsed(`User-agent: other\n${"Disallow: /a\n".repeat(40_000)}`), "rules for other agents don't count");
  for (const repeated of ["User-agent: *\n", "User-agent: tintype\nDisallow: /\n", "a", " ", ":", "#", "\n", "Disallow: /*", "%c3"])
    assertLinear((text) => parsed(text), repeated, { before: "User-agent: *\nDisallow: /" });
  const wild = robotsOf("User-agent: *", `Disallow: /${"*aaaaaaaaaab".repeat(100)}`, `Disallow: /*${"a".repeat(1_000)}b`);
  for (const repeated of ["a", "aaaaaaaaaab", "/"]) assertLinear((path) => may(wild, path), repeated, { before: "/x" });
});
