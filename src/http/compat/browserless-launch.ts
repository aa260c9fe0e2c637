/** browserless' `launch` parameter: browser launch options. The service launches browsers itself, so only harmless ones are accepted. */

import { exceedsBounds, type Members } from "../input/json-body.ts";
import { isConvertible, Unsupported } from "./adapter.ts";

/** Accepted with any value and ignored: they do not affect a capture. */
const harmless = new Set([
  ..."headless stealth timeout dumpio pipe devtools waitForInitialPage handleSIGINT handleSIGTERM handleSIGHUP".split(" "),
  ..."blockAds keepalive channel protocolTimeout".split(" "),
]);

/** Chromium flags that don't affect the captured result, or that the service sets anyway. */
const harmlessFlags =
  /^--(no-sandbox|disable-setuid-sandbox|disable-dev-shm-usage|disable-gpu|headless|hide-scrollbars|mute-audio|no-first-run|no-zygote|single-process|disable-background-[a-z-]+|disable-extensions|disable-infobars|disable-blink-features|disable-features|window-size|window-position|start-maximized|font-render-hinting|force-color-profile|disable-software-rasterizer|disable-accelerated-2d-canvas|disable-default-apps|disable-sync|disable-translate|metrics-recording-only)(=|$)/;

const argumentsMax = 100;

/** Width and height from `defaultViewport`, if present. @throws {Unsupported} naming the first option that would change the browser. */
export function readLaunch(value: unknown): Members {
  const { args, defaultViewport, ...others } = membersOf(value);
  for (const [name, own] of Object.entries(others)) {
    const isOff = own === false || own === null || own === 0 || own === "" || (Array.isArray(own) && own.length === 0);
    if (!harmless.has(name) && !isOff)
      throw new Unsupported(`${name.slice(0, 50)} would change the browser, which the service launches itself`);
  }
  for (const flag of argumentsOf(args))
    if (!harmlessFlags.test(flag))
      throw new Unsupported(`${flag.slice(0, 50)} would change the browser, which the service launches itself`);
  const { width, height } = Object(defaultViewport) as Members;
  return { ...(width === undefined ? {} : { width }), ...(height === undefined ? {} : { height }) };
}

function argumentsOf(value: unknown = []): string[] {
  if (Array.isArray(value) && value.length <= argumentsMax) return value.map((one) => String(one).slice(0, 1_000));
  throw new Unsupported(`args must be a list of at most ${argumentsMax} strings`);
}

/** Accepts an object, JSON, or Base64-encoded JSON. */
function membersOf(value: unknown): Members {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Members;
  const text = String(value).trim();
  const json = text.startsWith("{") ? text : Buffer.from(text, "base64").toString();
  try {
    const parsed: unknown = exceedsBounds(json) ? undefined : JSON.parse(json);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) && isConvertible(parsed)) return parsed as Members;
  } catch {
    // Rejected below.
  }
  throw new Unsupported("it must be a JSON object, plain or Base64-encoded");
}
