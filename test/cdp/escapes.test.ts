/** Ways to reach the network that only a client of a lent browser has; escapes.long.test.ts tries those of a page, too. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProtocolSession } from "../../src/browser/protocol.ts";
import { createOuter } from "../egress/escapes/outer.ts";
import { createSecret } from "../egress/escapes/secrets.ts";
import { eventually } from "../support/eventually.ts";
import { onlyLong } from "../support/long-only.ts";
import { lastFirst } from "../support/scope.ts";
import { startLent } from "./lent-browser.ts";

test("a client's own attempts to reach a loopback secret are refused by the proxy", async (outerScope) => {
  const t = lastFirst(outerScope);
  const outer = await createOuter(t);
  outer.serve("page", { "": "<!doctype html><body>page", continued: "" });
  const lent = await startLent(t, outer);
  const pageIn = async (browserContextId?: string): Promise<ProtocolSession> => {
    const { targetId } = await lent.browser.send("Target.createTarget", {
      url: "about:blank",
      ...(browserContextId ? { browserContextId } : {}),
    });
    const session = await lent.attach(targetId);
    await session.send("Page.enable");
    const loaded = Promise.withResolvers<void>();
    session.on("Page.loadEventFired", () => loaded.resolve());
    await session.send("Page.navigate", { url: `http://${outer.authority}/page/` });
    await loaded.promise; // until then, commands may apply to the previous document
    return session;
  };
  const { browserContextId } = await lent.browser.send("Target.createBrowserContext");
  const programWays: Record<string, (secret: string, page: ProtocolSession) => Promise<unknown>> = {
    "Page.navigate": (url, page) => page.send("Page.navigate", { url }),
    "Target.createTarget": (url) => lent.browser.send("Target.createTarget", { url }),
    "Runtime.evaluate": (url, page) => page.send("Runtime.evaluate", { expression: `fetch("${url}", { mode: "no-cors" })` }),
    "a world with universal access": async (url, page) => {
      const { frameTree } = await page.send("Page.getFrameTree");
      const world = { frameId: frameTree.frame.id, worldName: "all", grantUniveralAccess: true };
      const { executionContextId: contextId } = await page.send("Page.createIsolatedWorld", world);
      await page.send("Runtime.evaluate", { contextId, expression: `fetch("${url}")` });
    },
    "Fetch.continueRequest": async (url, page) => {
      page.on("Fetch.requestPaused", ({ requestId }) => void page.send("Fetch.continueRequest", { requestId, url }).catch(() => {}));
      await page.send("Fetch.enable", { patterns: [{ urlPattern: "*continued" }] });
      await page.send("Runtime.evaluate", { expression: `fetch("continued")` });
    },
    "Page.setDocumentContent": async (url, page) => {
      const { frameTree } = await page.send("Page.getFrameTree");
      await page.send("Page.setDocumentContent", { frameId: frameTree.frame.id, html: `<img src="${url}">` });
    },
    "Page.getAppManifest": async (url, page) => {
      await page.send("Runtime.evaluate", { expression: `document.head.innerHTML = '<link rel=manifest href="${url}">'` });
      void page.send("Page.getAppManifest").catch(() => {}); // it may wait for the response
    },
  };
  for (const [name, tryWay] of Object.entries(programWays)) {
    for (const context of [browserContextId, ...onlyLong([undefined])]) {
      const secret = await createSecret(t);
      const page = await pageIn(context);
      await tryWay(`http://127.0.0.1:${secret.port}/`, page);
      await eventually(`${name} is refused`, async () => {
        await page.send("Page.getLayoutMetrics").catch(() => {});
        return lent.refused.has(secret.port) || secret.visitor() !== undefined;
      });
      assert.equal(secret.visitor(), undefined, name);
    }
  }
});
