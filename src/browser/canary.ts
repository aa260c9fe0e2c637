/** The proof that a browser works: it draws a page with text, and the text can be seen. */

import type { Tab } from "./tab.ts";

/** A browser drew nothing where text should be: it has no fonts. */
class NoText extends Error {
  override readonly name = "NoText";
}

const page = `data:text/html,${encodeURIComponent('<body style="margin:0;background:#fff;color:#000;font:20px sans-serif">Tintype')}`;

/**
 * Takes two pictures of a small page, with its text and without. Other checks lie: a browser whose GPU process hangs still tells its version at once.
 * @throws {NoText} when both look the same; whatever `tab` throws when the browser doesn't answer.
 */
export async function proveTab(tab: Tab): Promise<void> {
  const shown = tab.once("Page.loadEventFired");
  await Promise.all([
    tab.send("Emulation.setDeviceMetricsOverride", { width: 120, height: 40, deviceScaleFactor: 1, mobile: false }),
    tab.send("Page.navigate", { url: page }),
    shown,
  ]);
  const shoot = () => tab.shoot({ format: "png", optimizeForSpeed: true });
  const withText = await shoot();
  await tab.evaluate(() => {
    document.body.textContent = "";
  });
  if (withText.equals(await shoot())) {
    throw new NoText(
      "Chromium draws no text: it finds no fonts. Install some (Debian and Ubuntu: apt-get install fonts-liberation fonts-noto-core).",
    );
  }
}
