/** Size, pixel density and input of the emulated screen. */

import { z } from "zod";
import { applyDevice, deviceNames, findDevice } from "../../browser/client-hints.ts";
import { expectResize, isStillResizing } from "../in-page/resize.ts";
import { optionGroup } from "../option-group.ts";
import { listensToResize } from "../scrolling/listeners.ts";

/** Usual delay of pages that debounce resize events. */
const resizeMs = 250;

export const viewport = optionGroup({
  title: "Viewport",
  intro:
    "Size and type of the emulated screen. The image measures `width` × `height` times `device_scale_factor`, unless an option under [Frame](#frame) changes what is captured.",
  example: { viewport_device: "iPhone 15", is_landscape: "true" },
  parameters: (limits) => ({
    width: z
      .int()
      .min(1)
      .max(limits.widthMax)
      .default(limits.widthDefault)
      .meta({ output: "window", description: "Width of the viewport in CSS pixels.", examples: [1280] }),
    height: z
      .int()
      .min(1)
      .max(limits.heightMax)
      .default(limits.heightDefault)
      .meta({ output: "window", description: "Height of the viewport in CSS pixels.", examples: [720] }),
    device_scale_factor: z
      .number()
      .min(0.1)
      .max(5)
      .default(1)
      .meta({
        output: "window",
        description: "Device pixels per CSS pixel. `2` doubles the image's width and height, as on a high-density screen.",
        examples: [2],
      }),
    is_mobile: z.boolean().default(false).meta({
      output: "load",
      description:
        "Lay out the page as on a mobile phone: its `viewport` meta tag applies, and the user agent and client hints are those of mobile Chromium unless `user_agent` is given.",
    }),
    has_touch: z
      .boolean()
      .default(false)
      .meta({ output: "load", description: "Emulate a touch screen: touch events, and `pointer: coarse` in media queries." }),
    is_landscape: z.boolean().default(false).meta({
      output: "window",
      description: "Landscape orientation. Swaps the sides of a `viewport_device`, but not an explicit `width` and `height`.",
    }),
    viewport_device: z
      .enum(deviceNames)
      .optional()
      .meta({
        output: "load",
        description:
          "Device preset for the six parameters above and the user agent. Explicit values take precedence, unless all six are sent with their default values, as generated clients do.",
        examples: ["iPhone 15"],
      }),
  }),
  presets: (given, defaults) => {
    const device = typeof given.viewport_device === "string" ? findDevice(given.viewport_device) : undefined;
    if (!device) return {};
    const own = ["width", "height", "device_scale_factor", "is_mobile", "has_touch", "is_landscape"];
    // Generated clients send every default; if all six have their default values, none was chosen.
    const chosen = own.every((name) => given[name] === defaults[name]) ? {} : given;
    const is_landscape = chosen.is_landscape ?? device.isLandscape;
    const [width, height] = is_landscape === device.isLandscape ? [device.width, device.height] : [device.height, device.width];
    const preset = {
      width,
      height,
      device_scale_factor: device.deviceScaleFactor,
      is_mobile: device.isMobile,
      has_touch: device.hasTouch,
      is_landscape,
    };
    return { ...preset, ...Object.fromEntries(Object.entries(chosen).filter(([name]) => own.includes(name))) };
  },
  show: async (options, { tab, shot }, before) => {
    const { width, height, device_scale_factor, is_mobile, has_touch, is_landscape } = options;
    shot.viewport = { width, height };
    shot.scale = device_scale_factor;
    const isResized = before !== undefined && (before.width !== width || before.height !== height);
    const listens = isResized && (await listensToResize(tab));
    if (listens) await tab.evaluate(expectResize);
    const held = is_landscape ? ({ type: "landscapePrimary", angle: 90 } as const) : ({ type: "portraitPrimary", angle: 0 } as const);
    await Promise.all([
      tab.send("Emulation.setDeviceMetricsOverride", {
        width,
        height,
        deviceScaleFactor: device_scale_factor,
        mobile: is_mobile,
        screenWidth: width,
        screenHeight: height,
        ...(is_mobile || is_landscape ? { screenOrientation: held } : {}),
      }),
      has_touch && tab.send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 5 }),
    ]);
    if (listens && (await tab.waitFor(isStillResizing))) await tab.pause(resizeMs);
  },
  // The identity group comes later, so that `user_agent` takes precedence.
  beforeNavigation: ({ viewport_device, is_mobile }, { agent }) => {
    if (viewport_device || is_mobile) applyDevice(agent, viewport_device && findDevice(viewport_device)?.userAgent);
    return undefined;
  },
});
