/** Devices that a capture can emulate, and the client hints and `navigator.platform` that match a user agent. */

import type { Protocol } from "devtools-protocol";

type Override = Protocol.Emulation.SetUserAgentOverrideRequest;

/** The first match wins; a user agent that matches none is treated as Linux. */
const systems: { pattern: RegExp; hint: string; navigator: string; version?: RegExp }[] = [
  { pattern: /iPhone|iPod/, hint: "iOS", navigator: "iPhone" },
  { pattern: /iPad/, hint: "iOS", navigator: "iPad" },
  { pattern: /Android/, hint: "Android", navigator: "Linux armv81", version: /Android ([\d.]+)/ },
  { pattern: /Windows/, hint: "Windows", navigator: "Win32", version: /Windows NT ([\d.]+)/ },
  { pattern: /Macintosh/, hint: "macOS", navigator: "MacIntel", version: /Mac OS X ([\d_.]+)/ },
  { pattern: /CrOS/, hint: "Chrome OS", navigator: "Linux x86_64" },
];
const linux = { hint: "Linux", navigator: "Linux x86_64", version: undefined };

/**
 * Parameters for `Emulation.setUserAgentOverride` that make headers and scripts report the same identity. Only Chromium-based browsers send
 * client hints, so other user agents get none.
 * @param version full version of this Chromium, for user agents that contain only its major version.
 */
export function userAgentOverride(userAgent: string, version?: string): Override {
  const system = systems.find(({ pattern }) => pattern.test(userAgent)) ?? linux;
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

/** The model in `Mozilla/5.0 (Linux; Android 11; Pixel 5 Build/…)`. Chromium's reduced user agent has `K`, a placeholder. */
function modelIn(userAgent: string): string {
  const model = /Android [^;)]+; ([^;]+?)(?: Build\/[^;)]*)?\) AppleWebKit/.exec(userAgent)?.[1] ?? "";
  return model === "K" ? "" : model;
}

/** Replaces the identity in `agent`, including its client hints, but keeps the languages. */
export function replaceAgent(agent: Override, other: Override): void {
  delete agent.userAgentMetadata;
  Object.assign(agent, other);
}

/** Makes `agent` identify as a device. @param userAgent the device's user agent; by default mobile Chromium's. */
export function applyDevice(agent: Override, userAgent?: string): void {
  const version = agent.userAgentMetadata?.fullVersionList?.find(({ brand }) => brand === "Chromium")?.version ?? "";
  const major = version.split(".")[0] ?? "";
  const shown = userAgent === undefined ? mobileUserAgent(major) : withVersion(userAgent, major);
  replaceAgent(agent, userAgentOverride(shown, version));
}

/** Chromium's reduced user agent on a phone. */
function mobileUserAgent(major: string): string {
  return `Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Mobile Safari/537.36`;
}

/** Replaces the Chrome version in `userAgent`, if any, with the current one: sites reject old versions. */
function withVersion(userAgent: string, major: string): string {
  return userAgent.replace(/\bChrome\/[\d.]+/, `Chrome/${major}.0.0.0`);
}

// imports only the list, because processes without browsers load this module
import { KnownDevices } from "puppeteer-core/internal/common/Device.js";

export interface Device {
  userAgent: string;
  /** CSS pixels, in the device's current orientation. */
  width: number;
  height: number;
  deviceScaleFactor: number;
  isMobile: boolean;
  hasTouch: boolean;
  isLandscape: boolean;
}

const devices: ReadonlyMap<string, Device> = new Map(
  Object.entries(KnownDevices).map(([name, { userAgent, viewport }]) => [
    name,
    {
      userAgent,
      width: viewport.width,
      height: viewport.height,
      deviceScaleFactor: viewport.deviceScaleFactor ?? 1,
      isMobile: viewport.isMobile ?? false,
      hasTouch: viewport.hasTouch ?? false,
      isLandscape: viewport.isLandscape ?? false,
    },
  ]),
);

export const deviceNames: readonly string[] = [...devices.keys()];

export function findDevice(name: string): Device | undefined {
  return devices.get(name);
}
