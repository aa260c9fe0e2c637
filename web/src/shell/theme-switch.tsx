/** Light, dark, or as set in the system. */

import { useState } from "react";
import { Segmented } from "../ui/form/segmented.tsx";
import { currentTheme, setTheme, type Theme } from "./theme.ts";

const choices = [
  { value: "system", label: "As the system", icon: "system" },
  { value: "light", label: "Light", icon: "light" },
  { value: "dark", label: "Dark", icon: "dark" },
] as const;

export function ThemeSwitch() {
  const [theme, change] = useState<Theme>(currentTheme);
  return (
    <Segmented
      label="Theme"
      iconsOnly
      choices={[...choices]}
      value={theme}
      onChange={(chosen) => {
        setTheme(chosen);
        change(chosen);
      }}
    />
  );
}
