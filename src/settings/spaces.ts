/** Refuses texts with invisible white space, such as a trailing line break in a file that contains a secret. */

import { type SettingName, settingProperties } from "./config.ts";
import type { Values } from "./store-urls.ts";

/** One sentence for each text in `names` with such white space, by setting. Lists may have it; choices and numbers have their own rules. */
export function spaceProblems(values: Values, names: readonly SettingName[]): Map<string | undefined, string> {
  return new Map(
    names.flatMap((name) => {
      const { type, enum: choices, isList } = settingProperties[name];
      const problem = type === "string" && !choices && !isList ? spaceProblem(values[name] ?? "") : undefined;
      return problem === undefined ? [] : [[name, `${name} ${problem}`]];
    }),
  );
}

function spaceProblem(text: string): string | undefined {
  if (text === "") return undefined;
  if (text.trim() === "") return "is blank: remove it, or set it to a value that isn't only white space";
  if (text.trim() !== text)
    return "begins or ends with white space or a line break: remove it (files with secrets often end with a line break)";
  return /\p{Cc}/u.test(text) ? "contains a line break or another control character: remove it" : undefined;
}
