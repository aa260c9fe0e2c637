/** The environment that the page sees (media preferences, time zone, locale, location), and whether animations run. */

import { z } from "zod";
import type { Tab } from "../../browser/tab.ts";
import { freeze } from "../in-page/freeze.ts";
import { isInFlow, isReplaced, lateExits } from "../in-page/late-exits.ts";
import { alwaysStill, beginStill, stillInAnyWindow } from "../in-page/still-rules.ts";
import { visibilityOf } from "../in-page/visibility.ts";
import { optionGroup, type Work } from "../option-group.ts";
import { text } from "../parameter-types.ts";

/** The pending `beginStill` call for the latest output of each capture. */
const stillApplied = new WeakMap<Work, Promise<unknown>>();
/** Time limit for a `beginStill` call. If it is exceeded, a script in the page is blocking the call; the image is then captured anyway. */
const beginStillMaxMs = 1_000;

export const emulation = optionGroup({
  title: "Emulation",
  intro: "The environment that the page sees (media preferences, time zone, locale and location), and whether animations run.",
  example: { prefers_color_scheme: "dark" },
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of options
  parameters: () => ({
    prefers_color_scheme: z.enum(["light", "dark", "no-preference"]).default("light").meta({
      description: "Emulated `prefers-color-scheme`. Browsers treat `no-preference` as `light`.",
    }),
    prefers_reduced_motion: z
      .enum(["no-preference", "reduce"])
      .default("no-preference")
      .meta({ description: "Emulated `prefers-reduced-motion`." }),
    disable_animations: z.boolean().default(true).meta({
      output: "load",
      description:
        "Make screenshots reproducible: finite animations and transitions jump to their end, infinite ones are paused at their start, or where they show the most content if they start out hidden; videos show their first frame, animated images stop, and the text cursor is hidden. `false` captures the page in motion.",
    }),
    // No schema default, because the default depends on the format and generated clients would send it.
    media_type: z
      .enum(["screen", "print"])
      .optional()
      .meta({
        description: "CSS media type that the page is rendered with. By default `print` with `format=pdf`, otherwise `screen`.",
        examples: ["print"],
      }),
    time_zone: text(64, (value) => (timeZoneCalled(value) ? undefined : "must be an IANA time zone name, such as Europe/Berlin"))
      .overwrite((value) => timeZoneCalled(value) ?? value) // Chromium accepts only the canonical spelling
      .default("UTC")
      .meta({
        output: "load",
        valid: "an IANA time zone name, such as Europe/Berlin",
        description: "Time zone of the page, as an IANA name.",
        examples: ["Europe/Berlin"],
      }),
    locale: text(35, (value) =>
      isLocale(value) ? undefined : "must be a supported BCP 47 language tag in its usual spelling, such as de-DE",
    )
      .default("en-US")
      .meta({
        output: "load",
        valid: "a supported BCP 47 language tag in its usual spelling, such as de-DE",
        description:
          "Locale of the browser, as a BCP 47 language tag: sets the `Accept-Language` header and how scripts format dates and numbers.",
        examples: ["de-DE"],
      }),
    geolocation_latitude: z
      .number()
      .min(-90)
      .max(90)
      .optional()
      .meta({
        output: "load",
        unit: "degrees",
        description: "Emulated latitude in degrees; requires `geolocation_longitude`. Without both, the page has no location.",
        examples: [52.52],
      }),
    geolocation_longitude: z
      .number()
      .min(-180)
      .max(180)
      .optional()
      .meta({
        output: "load",
        unit: "degrees",
        description: "Emulated longitude in degrees; requires `geolocation_latitude`.",
        examples: [13.4],
      }),
    geolocation_accuracy: z
      .number()
      .min(0)
      .max(100_000)
      .default(10)
      .meta({ output: "load", unit: "meters", description: "Accuracy of the location in meters. Ignored without a location." }),
  }),
  conflicts: ({ geolocation_latitude: latitude, geolocation_longitude: longitude }) => {
    if (latitude !== undefined && longitude === undefined)
      return [{ parameter: "geolocation_longitude", message: "is required with geolocation_latitude" }];
    if (longitude !== undefined && latitude === undefined)
      return [{ parameter: "geolocation_latitude", message: "is required with geolocation_longitude" }];
    return [];
  },
  show: ({ prefers_color_scheme, prefers_reduced_motion, media_type }, { tab, shot }, before) => {
    const features = [
      ...(prefers_color_scheme === "dark" ? [{ name: "prefers-color-scheme", value: "dark" }] : []), // light is Chromium's default
      ...(prefers_reduced_motion === "reduce" ? [{ name: "prefers-reduced-motion", value: "reduce" }] : []),
    ];
    const media = media_type === "print" || (media_type && shot.document === "pdf") ? media_type : ""; // PDFs use `print` unless overridden
    return features.length > 0 || media !== "" || before ? tab.send("Emulation.setEmulatedMedia", { features, media }) : undefined;
  },
  beforeNavigation: async (options, work) => {
    const { tab, agent } = work;
    const { time_zone, locale, geolocation_latitude, geolocation_longitude } = options;
    const calls: Promise<unknown>[] = [];
    if (time_zone !== "UTC") calls.push(tab.send("Emulation.setTimezoneOverride", { timezoneId: time_zone }));
    if (locale !== "en-US") {
      const { language } = new Intl.Locale(locale);
      agent.acceptLanguage = language === locale ? locale : `${locale},${language}`;
      calls.push(tab.send("Emulation.setLocaleOverride", { locale }));
    }
    if (geolocation_latitude !== undefined && geolocation_longitude !== undefined)
      calls.push(
        locate(work, { latitude: geolocation_latitude, longitude: geolocation_longitude, accuracy: options.geolocation_accuracy }),
      );
    await Promise.all(calls);
  },
  afterNavigation: ({ disable_animations }, work) => {
    if (!disable_animations || !mayNeedRules(work)) return undefined;
    const applied = work.tab.evaluate(beginStill, alwaysStill).catch(() => {}); // best effort: `freeze` repeats it
    stillApplied.set(work, applied);
    return undefined;
  },
  frame: async ({ disable_animations }, work) => {
    const { tab, shot, readiness } = work;
    if (!disable_animations) return;
    // Without this wait, a frame drawn before the rules took effect could be captured: `freeze` would find the rules already in place and
    // report no change, so the shot would not be repeated.
    await tab.within(beginStillMaxMs, stillApplied.get(work) ?? Promise.resolve());
    if (shot.isMeasured || readiness.moves()) await stop(tab, alwaysStill);
  },
  // Scrolling through the page starts animations that wait until they are visible.
  afterFraming: ({ disable_animations }, { tab, shot }) => (disable_animations && shot.clip ? stop(tab, stillInAnyWindow) : undefined),
  // Most pages don't have animations, and checking before the capture would cost every page a frame.
  duringShot: ({ disable_animations }, { tab, shot, readiness }) =>
    disable_animations && !(shot.isMeasured || readiness.moves() || readiness.isStill()) ? stop(tab, alwaysStill) : undefined,
});

const exits = `(animations) => (${lateExits})(animations, { visibilityOf: ${visibilityOf}, isInFlow: ${isInFlow}, isReplaced: ${isReplaced} })`;

/** Stops animations. Call it with one of the rules in `still-rules.ts`. */
export const freezeSource = `(still) => (${freeze})(still, { visibilityOf: ${visibilityOf}, lateExits: ${exits} })`;

/** Resolves to whether anything in the page may have changed. */
async function stop(tab: Tab, still: Parameters<typeof freeze>[0]): Promise<boolean> {
  return (await tab.evaluateSource(freezeSource, still)) === true;
}

/** Whether the page may have images or an autofocused field: assumed unless it is HTML written into a blank page, which can be searched. */
function mayNeedRules({ written }: Work): boolean {
  return written === undefined || /<img|autofocus/i.test(written);
}

/** The canonical name of the time zone; undefined if `name` is not an IANA name. */
function timeZoneCalled(name: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions();
    return /^[a-z]/i.test(timeZone) ? timeZone : undefined; // Intl also accepts offsets such as +01:00
  } catch {
    return undefined;
  }
}

function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag)[0] === tag && Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}

/**
 * Sets the location and lets the capture's own browser context use it. Cross-origin frames must also be allowed by the page's permissions
 * policy.
 */
async function locate({ tab }: Work, place: { latitude: number; longitude: number; accuracy: number }): Promise<void> {
  const { targetInfo } = await tab.send("Target.getTargetInfo");
  const { browserContextId } = targetInfo;
  await Promise.all([
    tab.send("Browser.grantPermissions", { permissions: ["geolocation"], ...(browserContextId ? { browserContextId } : {}) }),
    tab.send("Emulation.setGeolocationOverride", place),
  ]);
}
