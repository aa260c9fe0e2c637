/** The options that most people use, as visible controls. All others are under "All options". */

import { TextField } from "../ui/form/field.tsx";
import { Segmented } from "../ui/form/segmented.tsx";
import { Switch } from "../ui/form/switch.tsx";
import { FormatField } from "./format-field.tsx";
import type { OptionGroup, Values } from "./parameters.ts";

/** Those with further values, which are under "All options", too. */
const partlyShown = ["viewport_device", "prefers_color_scheme"];

/** Those that have all their values here. */
export const mainOptions = ["full_page", "width", "height", "format", "block_ads", "block_cookie_banners", "delay", "selector"];

/** Whether a control here shows that the option is set. */
export const isShown = (name: string): boolean => mainOptions.includes(name) || partlyShown.includes(name);

const devices = [
  { value: "", label: "Desktop", icon: "system" },
  { value: "iPad Pro 11", label: "Tablet", icon: "tablet" },
  { value: "iPhone 17", label: "Phone", icon: "phone" },
] as const;

interface MainOptionsProps {
  groups: OptionGroup[];
  values: Values;
  onChange: (name: string, value: string) => void;
}

export function MainOptions({ groups, values, onChange }: MainOptionsProps) {
  const textOf = (name: string) => String(values[name] ?? "");
  const device = textOf("viewport_device");
  const isListed = devices.some(({ value }) => value === device);
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
      <div className="flex flex-wrap gap-x-6 gap-y-4">
        <Segmented
          label="Device"
          aside={<Parameter name="viewport_device" />}
          choices={isListed ? [...devices] : [...devices, { value: device, label: device }]}
          value={device}
          onChange={(value) => onChange("viewport_device", value)}
        />
        <div className="min-w-40 flex-1">
          <FormatField groups={groups} {...fieldFor("format")} />
        </div>
      </div>
      <div className="grid gap-x-8 gap-y-1 sm:grid-cols-2 lg:grid-cols-1 2xl:grid-cols-2">
        {switchFor("full_page", "Full page")}
        {switchFor("prefers_color_scheme", "Dark mode", "dark")}
        {switchFor("block_ads", "Block ads")}
        {switchFor("block_cookie_banners", "Block cookie banners")}
      </div>
      <div className="grid grid-cols-2 gap-4 sm:grid-cols-3">
        <TextField label="Width" {...fieldFor("width")} type="number" min={1} max={3840} placeholder="1280" />
        <TextField label="Height" {...fieldFor("height")} type="number" min={1} max={2160} placeholder="720" />
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

/** The parameter's name in the API. */
function Parameter({ name }: { name: string }) {
  return <code className="font-mono text-xs font-normal text-muted">{name}</code>;
}
