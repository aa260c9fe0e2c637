/** Clicks an element with the mouse, at its visible position. */

import type { Tab } from "../browser/tab.ts";
import { AppError } from "../errors.ts";
import { findElement, scrollBack } from "./in-page/elements.ts";
import type { Work } from "./option-group.ts";

const visibleWithinMs = 3_000;
/** A click that navigates requests it at once; the navigation itself may take `pageLoadTimeoutMs`. */
const leadsAwayWithinMs = 50;

/** @throws {AppError} `selector_not_found` when no match becomes visible in time, `invalid_parameters` for an invalid selector. */
export async function click({ tab, lifecycle, limits }: Work, selector: string): Promise<void> {
  const found = await tab.waitFor(findElement, selector, { waitMs: visibleWithinMs, scroll: "window" } as const);
  if (found === "invalid")
    throw new AppError("invalid_parameters", {
      details: [
        {
          parameter: "click",
          message: `click contains ${JSON.stringify(selector)}, which is not a CSS selector`,
          allowed: "CSS selectors",
        },
      ],
    });
  if (!found) throw new AppError("selector_not_found", { message: `No visible element matches the click selector ${selector}.` });

  const { middle, scrolled } = found;
  const leaves = tab.once("Page.frameRequestedNavigation", ({ frameId }) => frameId === tab.frameId);
  leaves.catch(() => {}); // the capture may end first
  const next = lifecycle.replaced();
  await press(tab, middle.x, middle.y);
  if (await tab.within(leadsAwayWithinMs, leaves)) {
    await tab.within(limits.pageLoadTimeoutMs, next);
    return;
  }
  if (scrolled) await tab.evaluate(scrollBack, scrolled);
}

async function press(tab: Tab, x: number, y: number): Promise<void> {
  const at = { x, y, button: "left", clickCount: 1 } as const;
  await tab.send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
  await tab.send("Input.dispatchMouseEvent", { ...at, type: "mousePressed", buttons: 1 });
  await tab.send("Input.dispatchMouseEvent", { ...at, type: "mouseReleased" });
}
