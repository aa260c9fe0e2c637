/** What the page is told of its visitor: preferences, place and time; and whether it may move. */

import { z } from "zod";
import { alwaysStill, beginStill, freeze, stillInAnyWindow } from "../in-page/freeze.ts";
import { optionGroup, type Work } from "../option-group.ts";

export const emulation = optionGroup({
  title: "Emulation",
  intro: "What the page is told of its visitor: preferences, place and time; and whether it may move.",
  example: { prefers_color_scheme: "dark" },
  parameters: () => ({
    prefers_color_scheme: z.enum(["light", "dark", "no-preference"]).default("light").meta({
      description: "Colour scheme that the page is told its user prefers. Browsers take `no-preference` for `light`.",
    }),
    prefers_reduced_motion: z
      .enum(["no-preference", "reduce"])
      .default("no-preference")
      .meta({ description: "`reduce` tells the page that its user wants little motion." }),
    disable_animations: z.boolean().default(true).meta({
      description:
        "Make the same page give the same picture: animations and transitions that have an end are finished, endless ones paused at their start, videos set to their first frame, animated images stopped, the text cursor hidden. `false` shows the page in motion.",
    }),
    media_type: z
      .enum(["screen", "print"])
      .default("screen")
      .meta({ description: "Whose styles the page is drawn with: those for screens, or those for paper." }),
    time_zone: z
      .string()
      .max(64)
      .check(({ value, issues }) => {
        if (!timeZoneCalled(value))
          issues.push({ code: "custom", message: "is not the IANA name of a time zone, such as Europe/Berlin", input: value });
      })
      .overwrite((value) => timeZoneCalled(value) ?? value) // Chromium knows it in this spelling only
      .default("UTC")
      .meta({
        valid: "an IANA name such as Europe/Berlin",
        description: "Time zone of the page's clock, by its IANA name.",
        examples: ["Europe/Berlin"],
      }),
    locale: z
      .string()
      .max(35)
      .check(({ value, issues }) => {
        if (!isLocale(value)) issues.push({ code: "custom", message: "is not a BCP 47 language tag, such as de-DE", input: value });
      })
      .default("en-US")
      .meta({
        valid: "a BCP 47 tag such as de-DE",
        description: "Language of the page's user, as a BCP 47 tag: what servers are asked for, and how scripts write dates and numbers.",
        examples: ["de-DE"],
      }),
    geolocation_latitude: z
      .number()
      .min(-90)
      .max(90)
      .optional()
      .meta({
        unit: "degrees",
        description:
          "Latitude at which the page finds its user, in degrees; with `geolocation_longitude`. Without both, the page is told nothing.",
        examples: [52.52],
      }),
    geolocation_longitude: z
      .number()
      .min(-180)
      .max(180)
      .optional()
      .meta({
        unit: "degrees",
        description: "Longitude at which the page finds its user, in degrees; with `geolocation_latitude`.",
        examples: [13.4],
      }),
    geolocation_accuracy: z
      .number()
      .min(0)
      .max(100_000)
      .default(10)
      .meta({ unit: "metres", description: "How exact the place is. Ignored without a place." }),
  }),
  conflicts: ({ geolocation_latitude: latitude, geolocation_longitude: longitude }) => {
    if (latitude !== undefined && longitude === undefined)
      return [{ parameter: "geolocation_longitude", message: "must be given with geolocation_latitude" }];
    if (longitude !== undefined && latitude === undefined)
      return [{ parameter: "geolocation_latitude", message: "must be given with geolocation_longitude" }];
    return [];
  },
  beforeNavigation: async (options, work) => {
    const { tab, agent } = work;
    const { prefers_color_scheme, prefers_reduced_motion, media_type, time_zone, locale, geolocation_latitude, geolocation_longitude } =
      options;
    const calls: Promise<unknown>[] = [];
    const features = [
      ...(prefers_color_scheme === "dark" ? [{ name: "prefers-color-scheme", value: "dark" }] : []), // light is Chromium's own default
      ...(prefers_reduced_motion === "reduce" ? [{ name: "prefers-reduced-motion", value: "reduce" }] : []),
    ];
    if (features.length > 0 || media_type === "print")
      calls.push(tab.send("Emulation.setEmulatedMedia", { features, ...(media_type === "print" ? { media: "print" } : {}) }));
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
  afterNavigation: ({ disable_animations }, { tab }) => {
    if (disable_animations) tab.evaluate(beginStill, alwaysStill).catch(() => {}); // `freeze` does it then
    return undefined;
  },
  frame: ({ disable_animations }, { tab, shot, readiness }) =>
    disable_animations && (shot.isMeasured || readiness.moves()) ? tab.evaluate(freeze, alwaysStill) : undefined,
  // Scrolling through a page starts what was waiting to be seen.
  afterFraming: ({ disable_animations }, { tab, shot }) =>
    disable_animations && shot.clip ? tab.evaluate(freeze, stillInAnyWindow) : undefined,
  // Most pages stand still: asking them first would cost all of them a frame.
  duringShot: ({ disable_animations }, { tab, shot, readiness }) =>
    disable_animations && !(shot.isMeasured || readiness.moves()) ? tab.evaluate(freeze, alwaysStill) : undefined,
});

/** Its name as the registry writes it; `undefined` when there is none. */
function timeZoneCalled(name: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions();
    return /^[a-z]/i.test(timeZone) ? timeZone : undefined; // an offset is no name
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

/** The permission is the capture's own context's, which ends with it; wherever the target leads, frames of others need the page's leave. */
async function locate({ tab }: Work, place: { latitude: number; longitude: number; accuracy: number }): Promise<void> {
  const { targetInfo } = await tab.send("Target.getTargetInfo");
  const { browserContextId } = targetInfo;
  await Promise.all([
    tab.send("Browser.grantPermissions", { permissions: ["geolocation"], ...(browserContextId ? { browserContextId } : {}) }),
    tab.send("Emulation.setGeolocationOverride", place),
  ]);
}
