/** The form control of an option. */

import { useId } from "react";
import { AreaField, SelectField, TextField } from "../ui/form/field.tsx";
import type { Option } from "./parameters.ts";

interface OptionFieldProps {
  option: Option;
  value: string | string[] | undefined;
  onChange: (value: string | string[]) => void;
}

export function OptionField({ option, value = "", onChange }: OptionFieldProps) {
  const { name, about, control, fallback, example, minimum, maximum, whole } = option;
  const field = { label: <code className="font-mono text-[0.8125rem]">{name}</code>, name, hint: about };
  const text = [value].flat().join("\n");
  switch (control) {
    case "switch":
      return (
        <SelectField {...field} value={text} onChange={(event) => onChange(event.target.value)}>
          <option value="">{fallback === "" ? "not set" : fallback === "true" ? "on (default)" : "off (default)"}</option>
          {fallback !== "true" && <option value="true">on</option>}
          {fallback !== "false" && <option value="false">off</option>}
        </SelectField>
      );
    case "choice":
      return (
        <SelectField {...field} value={text} onChange={(event) => onChange(event.target.value)}>
          <option value="">{fallback === "" ? "not set" : `${fallback} (default)`}</option>
          {option.values
            .filter((choice) => choice !== fallback)
            .map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
        </SelectField>
      );
    case "choices":
      return <Choices option={option} chosen={[value].flat()} onChange={onChange} />;
    case "number":
      return (
        <TextField
          {...field}
          type="number"
          min={minimum}
          max={maximum}
          step={whole ? 1 : "any"}
          placeholder={fallback || example}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case "lines":
      return (
        <AreaField
          {...field}
          placeholder={example}
          value={text}
          spellCheck={false}
          className="font-mono text-sm"
          onChange={(event) => onChange(event.target.value === "" ? [] : event.target.value.split("\n"))}
        />
      );
    case "long":
      return (
        <AreaField
          {...field}
          placeholder={example}
          value={text}
          rows={5}
          spellCheck={false}
          className="font-mono text-sm"
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case "text":
      return (
        <TextField
          {...field}
          type="text"
          placeholder={fallback || example}
          value={text}
          spellCheck={false}
          autoCapitalize="none"
          onChange={(event) => onChange(event.target.value)}
        />
      );
  }
}

function Choices({ option, chosen, onChange }: { option: Option; chosen: string[]; onChange: (value: string[]) => void }) {
  const id = useId();
  return (
    <fieldset className="grid gap-1.5" aria-describedby={id}>
      <legend className="mb-1.5 text-sm font-medium">
        <code className="font-mono text-[0.8125rem]">{option.name}</code>
      </legend>
      <div className="flex flex-wrap gap-x-5 gap-y-1.5">
        {option.values.map((choice) => (
          <label key={choice} className="inline-flex items-center gap-2 text-sm">
            <input
              type="checkbox"
              name={option.name}
              value={choice}
              checked={chosen.includes(choice)}
              onChange={(event) =>
                onChange(event.target.checked ? [...chosen.filter(Boolean), choice] : chosen.filter((item) => item !== choice))
              }
              className="size-4 accent-accent"
            />
            {choice}
          </label>
        ))}
      </div>
      <p id={id} className="text-sm text-muted">
        {option.about}
        {option.fallback && ` Default: ${option.fallback}.`}
      </p>
    </fieldset>
  );
}
