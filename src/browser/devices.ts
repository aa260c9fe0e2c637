/** Devices that a capture can emulate: screens and user agents, from Puppeteer's list. */

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
