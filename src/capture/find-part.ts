/** Finds the element of the option `selector`. */

import type { Tab } from "../browser/tab.ts";
import { AppError } from "../errors.ts";
import { type Found, findElement, type Search } from "./in-page/elements.ts";

/** @throws {AppError} `invalid_parameters` for what is not a CSS selector. */
export async function findPart(tab: Tab, selector: string, search: Search): Promise<Found | undefined> {
  const found = await tab.evaluate(findElement, selector, search);
  if (found !== "invalid") return found;
  const message = `selector is ${JSON.stringify(selector)}, which is not a CSS selector`;
  throw new AppError("invalid_parameters", { details: [{ parameter: "selector", message, allowed: "a CSS selector" }] });
}
