/** Checks that a browser works, by rendering a page with text. */

import type { Tab } from "./tab.ts";

/** The browser didn't render text because it has no fonts. */
class NoText extends Error {
  override readonly name = "NoText";
}

const page = `data:text/html,${encodeURIComponent('<body style="margin:0;background:#fff;color:#000;font:20px sans-serif">Tintype')}`;

/**
 * Renders a small page with and without its text. Cheaper checks are not enough: a browser whose GPU process has hung still responds to
 * `Browser.getVersion`.
 * @throws {NoText} if both images are identical; an error from `tab` if the browser doesn't respond.
 */
export async function checkRendering(tab: Tab): Promise<void> {
  const loaded = tab.once("Page.loadEventFired");
  await Promise.all([
    tab.send("Emulation.setDeviceMetricsOverride", { width: 120, height: 40, deviceScaleFactor: 1, mobile: false }),
    tab.send("Page.navigate", { url: page }),
    loaded,
  ]);
  const capture = () => tab.captureScreenshot({ format: "png" });
  const withText = await capture();
  await tab.evaluate(() => {
    document.body.textContent = "";
  });
  if (withText.equals(await capture())) {
    throw new NoText(
      "Chromium doesn't render text because it can't find any fonts. Install some (Debian and Ubuntu: apt-get install fonts-liberation fonts-noto-core).",
    );
  }
}
