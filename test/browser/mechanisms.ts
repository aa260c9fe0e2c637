/** Every kind of state that a browser keeps for a site, with scripts that leave a mark in it and look for the mark. */

import type { Tab } from "../../src/browser/tab.ts";

export interface Mechanism {
  name: string;
  /** Leaves a mark, while a page of the site is open. */
  mark(tab: Tab): Promise<unknown>;
  /** Whether there is a mark after a page of the site has been opened again. */
  look(tab: Tab): Promise<boolean>;
}

/** Opens `url` and waits until it has loaded. */
export async function open(tab: Tab, url: string): Promise<void> {
  const loaded = tab.once("Page.loadEventFired");
  const [{ errorText }] = await Promise.all([tab.send("Page.navigate", { url }), loaded]);
  if (errorText) throw new Error(`${url}: ${errorText}`);
}

const textOf = (tab: Tab) => tab.evaluate(() => document.body.textContent);

/** @param origin `http://127.0.0.1:port`. @param secureHost a host that is also served over https. */
export function mechanisms(origin: string, secureHost: string): Mechanism[] {
  return [
    {
      name: "cookies",
      mark: (tab) => tab.evaluate(() => fetch("/set-cookie")),
      look: (tab) => tab.evaluate(async () => (await (await fetch("/echo-cookie")).text()).includes("mark")),
    },
    {
      name: "local storage",
      mark: (tab) => tab.evaluate(() => localStorage.setItem("mark", "1")),
      look: (tab) => tab.evaluate(() => localStorage.getItem("mark") === "1"),
    },
    {
      name: "session storage",
      mark: (tab) => tab.evaluate(() => sessionStorage.setItem("mark", "1")),
      look: (tab) => tab.evaluate(() => sessionStorage.getItem("mark") === "1"),
    },
    {
      name: "IndexedDB",
      mark: (tab) =>
        tab.evaluate(
          () =>
            new Promise<void>((resolve, reject) => {
              const request = indexedDB.open("mark");
              request.onerror = () => reject(request.error);
              request.onsuccess = () => {
                request.result.close();
                resolve();
              };
            }),
        ),
      look: (tab) => tab.evaluate(async () => (await indexedDB.databases()).some(({ name }) => name === "mark")),
    },
    {
      name: "the Cache API",
      mark: (tab) => tab.evaluate(async () => (await caches.open("mark")).put("/mark", new Response("1"))),
      look: (tab) => tab.evaluate(async () => (await caches.match("/mark")) !== undefined),
    },
    {
      name: "the origin private file system",
      mark: (tab) =>
        tab.evaluate(async () => void (await (await navigator.storage.getDirectory()).getFileHandle("mark", { create: true }))),
      look: (tab) =>
        tab.evaluate(async () =>
          (await navigator.storage.getDirectory()).getFileHandle("mark").then(
            () => true,
            () => false,
          ),
        ),
    },
    {
      name: "the HTTP cache",
      mark: (tab) => tab.evaluate(async () => (await fetch("/cached")).text()),
      look: (tab) =>
        tab.evaluate(() =>
          fetch("/cached", { cache: "only-if-cached", mode: "same-origin" }).then(
            () => true,
            () => false,
          ),
        ),
    },
    {
      name: "service workers",
      mark: (tab) =>
        tab.evaluate(async () => {
          const { installing } = await navigator.serviceWorker.register("/worker.js");
          await new Promise((resolve) =>
            installing?.addEventListener("statechange", () => installing.state === "activated" && resolve(true)),
          );
        }),
      // Not with fetch: in an isolated world it bypasses the page's service worker.
      look: async (tab) => {
        await open(tab, `${origin}/from-worker`);
        return (await textOf(tab)) === "mark";
      },
    },
    {
      name: "permissions",
      mark: async (tab) => {
        const { browserContextId } = (await tab.send("Target.getTargetInfo")).targetInfo;
        await tab.send("Browser.grantPermissions", { permissions: ["geolocation"], origin, browserContextId });
      },
      look: (tab) => tab.evaluate(async () => (await navigator.permissions.query({ name: "geolocation" })).state === "granted"),
    },
    {
      name: "HTTP authentication",
      mark: (tab) => open(tab, `${origin.replace("//", "//user:password@")}/private`),
      look: async (tab) => {
        await open(tab, `${origin}/private`).catch(() => {});
        return (await textOf(tab)) === "mark";
      },
    },
    {
      name: "strict transport security",
      mark: (tab) => open(tab, `https://${secureHost}/secure`),
      look: async (tab) => {
        await open(tab, `http://${secureHost}/secure`);
        return await tab.evaluate(() => location.protocol === "https:");
      },
    },
  ];
}
