/** Raw Chromium: a fresh context per capture, and nothing else. The baseline. */

import { card, type Shot, serve, viewport } from "./host.ts";
import { openPipe, shootIn } from "./pipe.ts";

async function start() {
  const pipe = openPipe();
  await pipe.send("Browser.getVersion");
  return {
    async shoot(shot: Shot) {
      const { browserContextId } = await pipe.send("Target.createBrowserContext");
      try {
        const { targetId } = await pipe.send("Target.createTarget", { url: "about:blank", browserContextId });
        const { sessionId } = await pipe.send("Target.attachToTarget", { targetId, flatten: true });
        await Promise.all([
          pipe.send("Page.enable", {}, sessionId), // without it the load event may be missed
          pipe.send(
            "Emulation.setDeviceMetricsOverride",
            { ...(shot.html ? card : viewport), deviceScaleFactor: 1, mobile: false },
            sessionId,
          ),
        ]);
        return await shootIn(pipe, sessionId, shot);
      } finally {
        pipe.send("Target.disposeBrowserContext", { browserContextId }).catch(console.error); // must not delay the response
      }
    },
  };
}

serve(start());
