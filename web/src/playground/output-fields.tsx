/** The name of an output, and the few options in which it can differ from the others. */

import { Button } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/form/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { FormatField } from "./format-field.tsx";
import type { Output, outputOptions } from "./outputs.ts";
import type { OptionGroup } from "./parameters.ts";

const unset = "as above";

/** Values and labels, by option. */
const choices = {
  viewport_device: { "iPad Pro 11": "Tablet", "iPhone 17": "Phone" },
  full_page: { true: "on", false: "off" },
  prefers_color_scheme: { light: "light", dark: "dark" },
};

interface OutputFieldsProps {
  groups: OptionGroup[];
  output: Output;
  index: number;
  onChange: (output: Output) => void;
  onRemove: () => void;
}

/** The first output has the form's options and can't be removed. */
export function OutputFields({ groups, output, index, onChange, onRemove }: OutputFieldsProps) {
  const { name, own } = output;
  const fieldFor = (option: (typeof outputOptions)[number]) => ({
    name: `outputs[${index}].${option}`,
    value: own[option] ?? "",
    onChange: (event: { target: { value: string } }) => onChange({ ...output, own: { ...own, [option]: event.target.value } }),
  });
  const choiceFor = (option: keyof typeof choices, label: string) => {
    const listed = Object.entries<string>(choices[option]);
    const value = own[option] ?? "";
    return (
      <SelectField label={label} {...fieldFor(option)}>
        <option value="">{unset}</option>
        {listed.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
        {value !== "" && !listed.some(([known]) => known === value) && <option>{value}</option>}
      </SelectField>
    );
  };
  const sizeFor = (option: "width" | "height" | "image_width", label: string, maximum: number) => (
    <TextField label={label} {...fieldFor(option)} type="number" min={1} max={maximum} placeholder={unset} />
  );
  const sliceFor = (option: "slice_height" | "slice_overlap", label: string, placeholder: string) => (
    <TextField label={label} {...fieldFor(option)} type="number" min={0} placeholder={placeholder} />
  );
  return (
    <fieldset className="grid min-w-0 gap-4 rounded-lg border border-line p-4 pt-2">
      <legend className="px-1 text-sm font-medium">Output {index + 1}</legend>
      <TextField
        label="Name"
        name={`outputs[${index}].name`}
        hint={index === 0 ? "Uses the options above." : undefined}
        maxLength={64}
        spellCheck={false}
        autoCapitalize="none"
        value={name}
        onChange={(event) => onChange({ ...output, name: event.target.value })}
      />
      {index > 0 && (
        <>
          <div className="grid grid-cols-2 gap-4">
            <FormatField groups={groups} unset={unset} {...fieldFor("format")} />
            {choiceFor("viewport_device", "Device")}
            {sizeFor("width", "Width", 3840)}
            {sizeFor("height", "Height", 2160)}
            {choiceFor("full_page", "Full page")}
            {choiceFor("prefers_color_scheme", "Color scheme")}
            {sizeFor("image_width", "Image width", 3840)}
            <TextField
              label="Only this element"
              {...fieldFor("selector")}
              placeholder="CSS selector"
              spellCheck={false}
              autoCapitalize="none"
            />
            {sliceFor("slice_height", "Slice height", "not cut")}
            {sliceFor("slice_overlap", "Slice overlap", "0")}
          </div>
          <div>
            <Button onClick={onRemove}>
              <Icon name="remove" />
              Remove <span className="sr-only">output {index + 1}</span>
            </Button>
          </div>
        </>
      )}
    </fieldset>
  );
}
