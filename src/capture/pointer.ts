/** Locates elements and clicks them with the mouse at their visible position. */

import type { Tab } from "../browser/tab.ts";
import { AppError, wrongParameter } from "../shared/errors.ts";
import { type FoundElement, findElement, scrollBack } from "./in-page/elements.ts";
import type { Work } from "./option-group.ts";

const visibleWithinMs = 3_000;
/** Time limit for an action to request a navigation; the navigation itself may take `pageLoadTimeoutMs`. */
const leadsAwayWithinMs = 50;

/**
 * Finds an element and scrolls it into view.
 * @param parameter name of the parameter that contains the selector.
 * @throws {AppError} `selector_not_found` if no match becomes visible in time, `invalid_parameters` for an invalid selector.
 */
export async function locate(tab: Tab, selector: string, parameter: string): Promise<FoundElement> {
  const found = await tab.waitFor(findElement, selector, { waitMs: visibleWithinMs, scroll: "window" } as const);
  if (found === "invalid")
    throw wrongParameter(parameter, `contains ${JSON.stringify(selector)}, which is not a CSS selector`, "CSS selectors");
  if (!found) throw new AppError("selector_not_found", { message: `No visible element matches the selector ${selector} in ${parameter}.` });
  return found;
}

/** Runs `act` and, if that causes a navigation, waits for the new document. Resolves to true if there was a navigation. */
export async function following({ tab, lifecycle, limits }: Work, act: () => Promise<unknown>): Promise<boolean> {
  const leaves = tab.once("Page.frameRequestedNavigation", ({ frameId }) => frameId === tab.frameId);
  leaves.catch(() => {}); // the capture may end first
  const next = lifecycle.replaced();
  await act();
  if (!(await tab.within(leadsAwayWithinMs, leaves))) return false;
  await tab.within(limits.pageLoadTimeoutMs, next);
  return true;
}

/** Clicks an element. @throws {AppError} like `locate`. */
export async function click(work: Work, selector: string, parameter = "click"): Promise<void> {
  const { middle, scrolled } = await locate(work.tab, selector, parameter);
  const isGone = await following(work, () => press(work.tab, middle.x, middle.y));
  if (!isGone && scrolled) await work.tab.evaluate(scrollBack, scrolled);
}

async function press(tab: Tab, x: number, y: number): Promise<void> {
  const at = { x, y, button: "left", clickCount: 1 } as const;
  await tab.send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
  await tab.send("Input.dispatchMouseEvent", { ...at, type: "mousePressed", buttons: 1 });
  await tab.send("Input.dispatchMouseEvent", { ...at, type: "mouseReleased" });
}
