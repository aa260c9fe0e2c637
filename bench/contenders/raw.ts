/** Raw Chromium: a fresh context for each capture, and nothing that isn't needed. The yardstick. */

import { type Shot, serve, viewport } from "./host.ts";
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
          pipe.send("Page.enable", {}, sessionId), // without it the load event may come unseen
          pipe.send("Emulation.setDeviceMetricsOverride", { ...viewport, deviceScaleFactor: 1, mobile: false }, sessionId),
        ]);
        return await shootIn(pipe, sessionId, shot);
      } finally {
        pipe.send("Target.disposeBrowserContext", { browserContextId }).catch(console.error); // while the answer is on its way
      }
    },
  };
}

serve(start());
