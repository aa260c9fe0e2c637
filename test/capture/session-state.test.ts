/** The cookies and storage that a page leaves behind for its session: a page may leave far more than a session can have. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tab } from "../../src/browser/tab.ts";
import { readItems } from "../../src/capture/in-page/storage.ts";
import type { OpenedPage } from "../../src/capture/request.ts";
import { keepSession } from "../../src/capture/session/keep-session.ts";
import { type StorageState, stateLengthMax, storageState } from "../../src/shared/storage-state.ts";
import { longestTurnAtBest } from "../support/longest-turn.ts";

const origin = "https://shop.example";
const cookie = (name: string, domain: string) => ({
  ...{ name, value: "1", domain, path: "/", expires: -1, session: true, httpOnly: false, secure: false },
});

/** Keeps the session of a page with this content. */
async function kept(cookies: object[], stored: Record<string, string>) {
  Object.defineProperty(globalThis, "localStorage", { value: stored, configurable: true });
  Object.defineProperty(globalThis, "location", { value: { origin }, configurable: true });
  const shown = readItems(stateLengthMax, 1_000); // in the page
  const tab = { send: async () => ({ cookies: [...cookies] }), evaluate: async () => shown } as unknown as Tab;
  const warnings: string[] = [];
  const saved: StorageState[] = [];
  const hosts = ["shop.example", ...Array.from({ length: 300 }, (_, index) => `.h${index}.example`)];
  const state = storageState.parse({ cookies: [{ name: "sid", value: "0", domain: "shop.example" }] });
  const save = async (changed: StorageState) => saved.push(changed) > 0;
  const session = { version: "1", state, hosts, save };
  const work = { tab, warn: (message: string) => warnings.push(message) };
  const keep = () => keepSession({ work, session } as unknown as Pick<OpenedPage, "work" | "session">);
  const { ms } = await longestTurnAtBest(keep, 20);
  return { ms, warnings, saved, read: shown?.items.length };
}

test("thousands of cookies, and hundreds of thousands of items, are refused without comparing or validating them all", async () => {
  const long = "n".repeat(3_900);
  const cookies = Array.from({ length: 3_300 }, (_, index) =>
    cookie(`${long}${index}`, index % 2 ? "shop.example" : `h${index % 300}.example`),
  );
  const items = Object.fromEntries(Array.from({ length: 250_000 }, (_, index) => [index.toString(36).padStart(4, "a"), ""]));
  for (const [name, left] of Object.entries({
    cookies: await kept(cookies, {}),
    items: await kept([cookie("sid", "shop.example")], items),
  })) {
    assert.deepEqual([left.warnings[0], left.saved], ["the session was not updated: it would be empty or too large", []], name);
    assert.ok(left.ms < 20, `${name}: ${left.ms} ms`);
    assert.ok((left.read ?? 0) <= 1_001, `${left.read} items leave the page`);
  }
});

test("cookies are kept in the same order, whatever the browser's, and only for the session's hosts", async () => {
  const cookies = [cookie("b", "shop.example"), cookie("a", "shop.example"), cookie("c", ".h1.example"), cookie("d", "other.example")];
  for (const given of [cookies, cookies.toReversed()]) {
    const [state] = (await kept(given, { token: "1" })).saved;
    assert.deepEqual(
      state?.cookies.map(({ name }) => name),
      ["c", "a", "b"],
    );
    assert.deepEqual(state?.origins, [{ origin, localStorage: [{ name: "token", value: "1" }], indexedDB: [] }]);
  }
});
