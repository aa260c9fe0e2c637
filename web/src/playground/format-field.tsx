/** A control for the file format: images first, then documents and recordings. */

import type { ComponentProps, ReactNode } from "react";
import { defaultFormat, isImage, isMotion, nameOf } from "../screenshots/formats.ts";
import { SelectField } from "../ui/form/field.tsx";
import type { OptionGroup } from "./parameters.ts";

/** An alias of jpeg. */
const alias = "jpg";

interface FormatFieldProps extends ComponentProps<"select"> {
  name: string;
  aside?: ReactNode;
  groups: OptionGroup[];
  value: string;
  /** Label for no value; if undefined, no value means the default format. */
  unset?: string;
}

export function FormatField({ groups, value, unset, ...field }: FormatFieldProps) {
  const formats = groups.flatMap(({ options }) => options).find(({ name }) => name === "format")?.values ?? [];
  const optionsOf = (isListed: (format: string) => boolean) =>
    formats
      .filter((format) => format !== alias && isListed(format))
      .map((format) => (
        <option key={format} value={format}>
          {nameOf(format)}
        </option>
      ));
  const isDefault = value === alias || (value === "" && unset === undefined);
  return (
    <SelectField label="Format" {...field} value={isDefault ? defaultFormat : value}>
      {unset !== undefined && <option value="">{unset}</option>}
      <optgroup label="Images">{optionsOf(isImage)}</optgroup>
      <optgroup label="Documents">{optionsOf((format) => !isImage(format) && !isMotion(format))}</optgroup>
      <optgroup label="Recordings">{optionsOf(isMotion)}</optgroup>
    </SelectField>
  );
}
