/** Concurrent requests for images from one tab. */

import assert from "node:assert/strict";
import { test } from "node:test";
import sharp from "sharp";
import { startService } from "../support/service.ts";

const rows = 40;
const rowHeight = 100;
const colourOf = (row: number) => [row * 6, 255 - row * 6, 128];
test("two images requested concurrently each show their whole part of the page", async (t) => {
  const { services } = await startService(t);
  await services.slots.withTab({ account: "test", signal: AbortSignal.timeout(60_000) }, async (tab) => {
    await tab.send("Emulation.setDeviceMetricsOverride", { width: 300, height: 200, deviceScaleFactor: 1, mobile: false });
    // Frames take long, so that the second image is requested before the first is drawn.
    await tab.evaluateSource(
      `(colours) => {
        document.body.style.margin = "0";
        for (const colour of colours) document.body.append(Object.assign(document.createElement("div"), { style: \`height: ${rowHeight}px; background: rgb(\${colour})\` }));
        const frame = () => { const end = performance.now() + 100; while (performance.now() < end); requestAnimationFrame(frame) };
        frame();
      }`,
      Array.from({ length: rows }, (_, row) => colourOf(row).join()),
    );
    const capture = () =>
      tab.captureScreenshot(
        { format: "png", clip: { x: 0, y: 0, width: 300, height: rows * rowHeight, scale: 1 }, captureBeyondViewport: true },
        20_000,
      );
    for (const delayMs of [60, 120, 200, 260]) {
      const first = capture();
      await tab.pause(delayMs);
      for (const image of await Promise.all([first, capture()])) {
        const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true });
        for (let row = 0; row < rows; row += 1) {
          const at = ((row * rowHeight + 50) * info.width + 150) * 3;
          assert.deepEqual([...data.subarray(at, at + 3)], colourOf(row), `${delayMs} ms later, row ${row}`);
        }
      }
    }
  });
});
