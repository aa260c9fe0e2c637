/** The network that the capture comes from. `screenshots/take/proxies.ts` chooses the proxy; the egress filter connects through it. */

import { z } from "zod";
import { parseProxyUrl, proxyUrlMax, validProxyUrl } from "../../shared/proxy-url.ts";
import { countryFacts } from "../countries.ts";
import { optionGroup } from "../option-group.ts";

/** Coarse, because an IP address reveals a region rather than a street. */
const accuracyMeters = 50_000;

export const proxy = optionGroup({
  title: "Proxy",
  onlyIfSet: true,
  intro:
    "Loads the page through a proxy, for example from another country. All of the capture's connections go through the proxy. See [Proxies](proxies.md).",
  example: { country: "de" },
  parameters: () => ({
    country: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,31}$/)
      .overwrite((value) => value.toLowerCase())
      .optional()
      .meta({
        output: "shared",
        valid: "a country or name for which the operator has configured a proxy",
        description:
          "Country or name of one of the service's proxies (`PROXIES`), such as `de`. A country also sets `time_zone` to its main time zone, `locale` to its most common language, and the geolocation to a city in that zone, unless these options are given.",
        examples: ["de"],
      }),
    proxy: z
      .string()
      .max(proxyUrlMax, { abort: true })
      .check(({ value, issues }) => {
        if (!parseProxyUrl(value, false)) issues.push({ code: "custom", message: `must be ${validProxyUrl}`, input: "" });
      })
      .optional()
      .meta({
        output: "shared",
        secret: true,
        valid: `${validProxyUrl}; at most ${proxyUrlMax} characters`,
        description:
          "URL of your own proxy, if the operator allows callers' proxies (`PROXY_BY_REQUEST`). Its address must be public. Not available to keys that are restricted to domains.",
        examples: ["http://user:password@proxy.example:8080"],
      }),
  }),
  presets: (given, defaults) => {
    const facts = typeof given.country === "string" ? countryFacts(given.country) : undefined;
    if (!facts) return {};
    // Generated clients send every default; if `time_zone` and `locale` both have their default values, neither was chosen.
    const isChosen = given.time_zone !== defaults.time_zone || given.locale !== defaults.locale;
    const isGiven = (name: string) => given[name] !== undefined;
    return {
      ...(isChosen && isGiven("time_zone") ? {} : { time_zone: facts.timeZone }),
      ...((isChosen && isGiven("locale")) || facts.locale === undefined ? {} : { locale: facts.locale }),
      ...(isGiven("geolocation_latitude") || isGiven("geolocation_longitude")
        ? {}
        : { geolocation_latitude: facts.latitude, geolocation_longitude: facts.longitude, geolocation_accuracy: accuracyMeters }),
    };
  },
  conflicts: ({ country, proxy }) =>
    country !== undefined && proxy !== undefined
      ? [{ parameter: "proxy", message: "can't be combined with country: send one or the other" }]
      : [],
});
