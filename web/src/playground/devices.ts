/** The devices to choose from: sizes of desktop windows, then the API's device presets, newest first. */

/** A desktop window, in CSS pixels. */
interface Size {
  width: number;
  height: number;
}

export interface Device {
  /** The API's name; empty for a desktop window. */
  name: string;
  label: string;
  kind: "desktop" | "phone" | "tablet";
  /** undefined for the API's default size, or for the device's own. */
  size?: Size;
}

export interface DeviceGroup {
  title: string;
  devices: Device[];
}

const desktop = (label: string, size?: Size): Device => ({ name: "", label, kind: "desktop", ...(size && { size }) });

const desktops = [
  desktop("1280 × 720 (default)"),
  desktop("1366 × 768, laptop", { width: 1366, height: 768 }),
  desktop("1440 × 900, laptop", { width: 1440, height: 900 }),
  desktop("1920 × 1080, Full HD", { width: 1920, height: 1080 }),
  desktop("2560 × 1440, QHD", { width: 2560, height: 1440 }),
];

/** Families of phones that are sold today. */
const families = ["iPhone", "Pixel", "Galaxy"];
const tablet = /\b(iPad|Tab|PlayBook|Kindle Fire|Nexus (7|10))\b/;
/** The API lists each device a second time in landscape orientation; `is_landscape` does the same. */
const landscape = / landscape$/;

/** @param names the API's names, each family from its oldest to its newest device. */
export function deviceGroups(names: string[]): DeviceGroup[] {
  const devices = names
    .filter((name) => !landscape.test(name))
    .toReversed()
    .map((name): Device => ({ name, label: name, kind: kindOf(name) }));
  const familyOf = ({ name }: Device) => families.findIndex((family) => name.startsWith(`${family} `));
  const phones = devices.filter((device) => device.kind === "phone");
  return [
    { title: "Desktop", devices: desktops },
    { title: "Phones", devices: phones.filter((one) => familyOf(one) >= 0).sort((one, other) => familyOf(one) - familyOf(other)) },
    { title: "Tablets", devices: devices.filter((device) => device.kind === "tablet") },
    { title: "Older phones", devices: phones.filter((one) => familyOf(one) < 0) },
  ];
}

/** Label of the selection. */
export function labelOf(name: string, { width, height }: Size): string {
  const standard = desktops.find(({ size = { width: 1280, height: 720 } }) => size.width === width && size.height === height);
  return name || (standard?.label ?? `${width} × ${height}`);
}

export function kindOf(name: string): Device["kind"] {
  if (name === "") return "desktop";
  return tablet.test(name) ? "tablet" : "phone";
}

/** The groups' devices that have every word of `query` in their label or in their group's title. */
export function matching(groups: DeviceGroup[], query: string): DeviceGroup[] {
  const words = plain(query).split(/\s+/).filter(Boolean);
  const isMatch = (title: string, { label }: Device) => {
    const text = plain(`${title} ${label}`);
    return words.every((word) => text.includes(word));
  };
  return groups
    .map(({ title, devices }) => ({ title, devices: devices.filter((device) => isMatch(title, device)) }))
    .filter(({ devices }) => devices.length > 0);
}

/** Lowercase, with sizes as `1280x720`. */
const plain = (text: string): string => text.toLowerCase().replaceAll(/(\d) ?[x×] ?(\d)/g, "$1x$2");
