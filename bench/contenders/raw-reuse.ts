/** Raw Chromium that reuses its pages, without isolation of captures. The upper limit. */

import { type Shot, serve, viewport } from "./host.ts";
import { openPipe, shootIn } from "./pipe.ts";

async function start() {
  const pipe = openPipe();
  await pipe.send("Browser.getVersion");
  const idle: string[] = [];

  async function newPage(): Promise<string> {
    const { targetId } = await pipe.send("Target.createTarget", { url: "about:blank", newWindow: true });
    const { sessionId } = await pipe.send("Target.attachToTarget", { targetId, flatten: true });
    await pipe.send("Page.enable", {}, sessionId);
    await pipe.send("Emulation.setDeviceMetricsOverride", { ...viewport, deviceScaleFactor: 1, mobile: false }, sessionId);
    return sessionId;
  }

  return {
    async shoot(shot: Shot) {
      const sessionId = idle.pop() ?? (await newPage());
      try {
        return await shootIn(pipe, sessionId, shot);
      } finally {
        idle.push(sessionId);
      }
    },
  };
}

serve(start());
