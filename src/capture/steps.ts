/** Runs the steps of the `steps` option. */

import { wrongParameter } from "../shared/errors.ts";
import { parseUrl } from "../shared/urls.ts";
import { findElement } from "./in-page/elements.ts";
import { expectKey, scrollByKey } from "./in-page/scroll-by-key.ts";
import { waitUntil } from "./loading/wait-until.ts";
import type { Work } from "./option-group.ts";
import { click, following, locate } from "./pointer.ts";

/** One member specifies the action; `text` is used only with `type`. */
export type Step = Partial<Record<Kind | "text", string | number>>;

/** Keys as Chromium expects them. */
const keys: Readonly<Record<string, { code?: string; keyCode: number; text?: string; key?: string }>> = {
  Enter: { keyCode: 13, text: "\r" },
  Tab: { keyCode: 9 },
  Escape: { keyCode: 27 },
  Backspace: { keyCode: 8 },
  Space: { keyCode: 32, text: " ", key: " " },
  PageUp: { keyCode: 33 },
  PageDown: { keyCode: 34 },
  End: { keyCode: 35 },
  Home: { keyCode: 36 },
  ArrowLeft: { keyCode: 37 },
  ArrowUp: { keyCode: 38 },
  ArrowRight: { keyCode: 39 },
  ArrowDown: { keyCode: 40 },
};

const waitMax = 30;

const kinds = {
  click: (work: Work, selector: string) => click(work, selector, "steps"),
  async hover({ tab }: Work, selector: string) {
    const { middle } = await locate(tab, selector, "steps");
    await tab.send("Input.dispatchMouseEvent", { type: "mouseMoved", ...middle });
  },
  async type(work: Work, selector: string, text: string) {
    await click(work, selector, "steps");
    if (work.typeText) return await work.typeText(text);
    work.typing ??= await startTyping(work);
    if (await work.tab.evaluate(mayBeForPassword).catch(() => true)) {
      work.typedPassword = true;
      work.recorder?.hide();
      await work.typing?.countPassword();
    }
    await work.tab.send("Input.insertText", { text });
  },
  async press(work: Work, name: string) {
    const { keyCode, text = "", key = name, code = name } = keys[name] ?? { keyCode: 0 };
    const event = { key, code, windowsVirtualKeyCode: keyCode };
    const scrolls = keyCode >= 32 && keyCode <= 40;
    await following(work, async () => {
      if (scrolls) await work.tab.evaluate(expectKey).catch(() => {}); // the page may be navigating
      await work.tab.send("Input.dispatchKeyEvent", { ...event, type: text ? "keyDown" : "rawKeyDown", ...(text ? { text } : {}) });
      await work.tab.send("Input.dispatchKeyEvent", { ...event, type: "keyUp" });
      if (scrolls) await work.tab.evaluate(scrollByKey).catch(() => {});
    });
  },
  async scroll({ tab }: Work, to: string | number) {
    if (typeof to === "string") await locate(tab, to, "steps");
    else await tab.evaluate((by: number) => scrollBy({ top: by, behavior: "instant" }), to);
  },
  async wait(work: Work, until: string | number) {
    if (typeof until === "number") return await (work.readiness.clock()?.run(until * 1000) ?? work.tab.pause(until * 1000));
    work.waitsFor = `an element that matches the selector ${until} in steps`;
    await waitUntil(work, () => isShown(work, until));
  },
};

type Kind = keyof typeof kinds;

/** Whether a matching element is visible. @throws {AppError} `invalid_parameters`. */
export async function isShown({ tab }: Work, selector: string): Promise<boolean> {
  const found = await tab.evaluate(findElement, selector, { orEmpty: true });
  if (found === "invalid")
    throw wrongParameter("steps", `contains ${JSON.stringify(selector)}, which is not a CSS selector`, "CSS selectors");
  return found !== undefined;
}

/** Whether the focused field may be for a password; also true if it can't be inspected, as in a frame or component. Runs in the page. */
function mayBeForPassword(): boolean {
  const { activeElement: field } = document;
  if (field instanceof HTMLInputElement) return field.matches("[type=password], [autocomplete*=password], [autocomplete*=one-time-code]");
  return !(
    field instanceof HTMLTextAreaElement ||
    (field instanceof HTMLElement && Reflect.get(HTMLElement.prototype, "isContentEditable", field))
  );
}

async function startTyping(work: Work): Promise<Work["typing"]> {
  if (!work.startTyping) return undefined;
  const shown = await shownPage(work);
  return await work.startTyping(shown ? [work.url, shown] : [work.url]);
}

/** Null if the page is being replaced. */
async function shownPage({ tab }: Work): Promise<URL | null> {
  return parseUrl(await tab.evaluate(() => location.href.slice(0, 10_000)).catch(() => ""));
}

/** Explains why a step is invalid, as the rest of a sentence that begins with the parameter's name. */
export function stepProblem(step: Readonly<Record<string, unknown>>, index: number): string | undefined {
  const which = `is invalid: step ${index + 1}`;
  const [kind, ...others] = Object.keys(step).filter((name) => name !== "text");
  if (kind === undefined || others.length > 0 || !Object.hasOwn(kinds, kind))
    return `${which} must have exactly one of ${Object.keys(kinds).join(", ")}`;
  const value = step[kind];
  if (kind === "type" && typeof step.text !== "string") return `${which} must have a text string in addition to type`;
  if (kind !== "type" && "text" in step) return `${which} must not have text without type`;
  if (kind === "press" && !Object.hasOwn(keys, String(value)))
    return `${which} must press one of these keys: ${Object.keys(keys).join(", ")}`;
  if (kind === "wait" && typeof value === "number" && !(value >= 0 && value <= waitMax))
    return `${which} must wait for 0 to ${waitMax} seconds`;
  if (typeof value !== "string" && kind !== "wait" && kind !== "scroll") return `${which} must have a CSS selector as a string`;
  return value === "" ? `${which} must have a CSS selector` : undefined;
}

/** @throws {AppError} `selector_not_found`; `invalid_parameters`; `rate_limited`; `sign_in_failed` during a sign-in. */
export async function runStep(work: Work, { text = "", ...step }: Step): Promise<void> {
  const [[kind, value] = []] = Object.entries(step) as [Kind, string | number][];
  if (kind === undefined || value === undefined) return;
  const run = kinds[kind] as (work: Work, value: string | number, text: string) => Promise<unknown>;
  await run(work, value, String(text)).finally(async () => {
    const shown = work.typing && (await shownPage(work));
    if (shown) await work.typing?.reach(shown); // even if the step failed, so that a refusal doesn't reveal whether it did
  });
  work.recorder?.step(`the ${kind} step was performed`);
}
