/** The options that most people use, as visible controls. All others are under "All options". */

import { TextField } from "../ui/form/field.tsx";
import { Segmented } from "../ui/form/segmented.tsx";
import { Switch } from "../ui/form/switch.tsx";
import { DeviceField } from "./device-field.tsx";
import { type Device, deviceGroups, kindOf, labelOf } from "./devices.ts";
import { FormatField } from "./format-field.tsx";
import type { OptionGroup, Values } from "./parameters.ts";

/** Options with further values under "All options". */
const partlyShown = ["prefers_color_scheme"];

/** Options with all their values here. */
export const mainOptions = [
  "viewport_device",
  "full_page",
  "width",
  "height",
  "format",
  "block_ads",
  "block_cookie_banners",
  "delay",
  "selector",
];

/** Whether a control here shows that the option is set. */
export const isShown = (name: string): boolean => mainOptions.includes(name) || partlyShown.includes(name);

const kinds = [
  { value: "desktop", label: "Desktop", icon: "system" },
  { value: "tablet", label: "Tablet", icon: "tablet" },
  { value: "phone", label: "Phone", icon: "phone" },
] as const;
/** The device selected first for each kind. */
const usual: Record<Device["kind"], string> = { desktop: "", tablet: "iPad Pro 11", phone: "iPhone 17" };

interface MainOptionsProps {
  groups: OptionGroup[];
  values: Values;
  onChange: (name: string, value: string) => void;
}

export function MainOptions({ groups, values, onChange }: MainOptionsProps) {
  const textOf = (name: string) => String(values[name] ?? "");
  const device = textOf("viewport_device");
  /** A device has its own size, unless the size is changed afterwards. */
  const choose = (name: string, size?: Device["size"]) => {
    onChange("viewport_device", name);
    onChange("width", size ? String(size.width) : "");
    onChange("height", size ? String(size.height) : "");
  };
  const devices = deviceGroups(groups.flatMap(({ options }) => options).find(({ name }) => name === "viewport_device")?.values ?? []);
  const switchFor = (name: string, label: string, on = "true") => (
    <Switch
      label={label}
      aside={<Parameter name={name} />}
      name={name}
      checked={textOf(name) === on}
      onChange={(checked) => onChange(name, checked ? on : "")}
    />
  );
  const fieldFor = (name: string) => ({
    name,
    aside: <Parameter name={name} />,
    value: textOf(name),
    onChange: (event: { target: { value: string } }) => onChange(name, event.target.value),
  });
  return (
    <div className="grid gap-5">
      <div className="grid gap-3">
        <Segmented label="Device" wide choices={[...kinds]} value={kindOf(device)} onChange={(kind) => choose(usual[kind])} />
        <DeviceField
          label="Model or window size"
          aside={<Parameter name="viewport_device" />}
          name="viewport_device"
          groups={devices}
          shown={labelOf(device, { width: Number(textOf("width") || 1280), height: Number(textOf("height") || 720) })}
          onChoose={({ name, size }) => choose(name, size)}
        />
      </div>
      <div className="grid gap-x-8 gap-y-1 sm:grid-cols-2 lg:grid-cols-1 2xl:grid-cols-2">
        {switchFor("full_page", "Full page")}
        {switchFor("prefers_color_scheme", "Dark mode", "dark")}
        {switchFor("block_ads", "Block ads")}
        {switchFor("block_cookie_banners", "Block cookie banners")}
      </div>
      <div className="grid grid-cols-2 gap-4">
        <TextField label="Width" {...fieldFor("width")} type="number" min={1} max={3840} placeholder={device ? "of the device" : "1280"} />
        <TextField label="Height" {...fieldFor("height")} type="number" min={1} max={2160} placeholder={device ? "of the device" : "720"} />
        <FormatField groups={groups} {...fieldFor("format")} />
        <TextField label="Delay" {...fieldFor("delay")} type="number" min={0} max={30} step="any" placeholder="seconds" />
      </div>
      <TextField
        label="Only this element"
        {...fieldFor("selector")}
        placeholder="CSS selector, such as #main"
        spellCheck={false}
        autoCapitalize="none"
      />
    </div>
  );
}

/** A parameter's name in the API. */
function Parameter({ name }: { name: string }) {
  return <code className="truncate font-mono text-xs font-normal text-muted">{name}</code>;
}
