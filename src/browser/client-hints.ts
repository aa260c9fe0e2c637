/** What a browser tells of itself besides its user agent, made to agree with that. */

import type { Protocol } from "devtools-protocol";

type Override = Protocol.Emulation.SetUserAgentOverrideRequest;

/** The first that matches counts: an Android's user agent says Linux, too. */
const systems: { said: RegExp; hint: string; navigator: string; version?: RegExp }[] = [
  { said: /iPhone|iPod/, hint: "iOS", navigator: "iPhone" },
  { said: /iPad/, hint: "iOS", navigator: "iPad" },
  { said: /Android/, hint: "Android", navigator: "Linux armv81", version: /Android ([\d.]+)/ },
  { said: /Windows/, hint: "Windows", navigator: "Win32", version: /Windows NT ([\d.]+)/ },
  { said: /Macintosh/, hint: "macOS", navigator: "MacIntel", version: /Mac OS X ([\d_.]+)/ },
  { said: /CrOS/, hint: "Chrome OS", navigator: "Linux x86_64" },
];
const linux = { hint: "Linux", navigator: "Linux x86_64", version: undefined };

/**
 * Parameters that make a tab be `userAgent`, in what it sends and in what scripts see. Only Chromium and its kin send client hints:
 * for another browser's user agent there are none.
 * @param version of Chromium in full, where `userAgent` is this Chromium's own, which says its first number alone.
 */
export function userAgentOverride(userAgent: string, version?: string): Override {
  const system = systems.find(({ said }) => said.test(userAgent)) ?? linux;
  const chromium = /\bChrom(?:e|ium)\/(\d+)[\d.]*/.exec(userAgent);
  const override = { userAgent, platform: system.navigator };
  if (!chromium) return override;
  const major = chromium[1] ?? "";
  const full = version ?? chromium[0].slice(chromium[0].indexOf("/") + 1);
  const brands = (number: string, other: string) => [
    { brand: "Chromium", version: number },
    { brand: "Not)A;Brand", version: other },
  ];
  const handheld = system.hint === "Android" || system.hint === "iOS";
  return {
    ...override,
    userAgentMetadata: {
      brands: brands(major, "24"),
      fullVersionList: brands(full, "24.0.0.0"),
      platform: system.hint,
      platformVersion: system.version?.exec(userAgent)?.[1]?.replaceAll("_", ".") ?? "",
      architecture: handheld ? "" : "x86",
      bitness: handheld ? "" : "64",
      model: modelIn(userAgent),
      mobile: /\bMobile\b/.test(userAgent),
    },
  };
}

/** `Mozilla/5.0 (Linux; Android 11; Pixel 5 Build/…)`; Chromium's own reduced user agent says K, which is none. */
function modelIn(userAgent: string): string {
  const model = /Android [^;)]+; ([^;]+?)(?: Build\/[^;)]*)?\) AppleWebKit/.exec(userAgent)?.[1] ?? "";
  return model === "K" ? "" : model;
}

/** The user agent that Chromium has on a telephone: reduced, as it sends it everywhere. */
export function mobileUserAgent(major: string): string {
  return `Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Mobile Safari/537.36`;
}

/** `userAgent` with the version of the Chromium that is there, where it names one: sites turn old ones away. */
export function withVersion(userAgent: string, major: string): string {
  return userAgent.replace(/\bChrome\/[\d.]+/, `Chrome/${major}.0.0.0`);
}
