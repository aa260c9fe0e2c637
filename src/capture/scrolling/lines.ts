/** The schema of a list parameter with one item per line. */

import { z } from "zod";

/**
 * @param charactersMax total length of all lines.
 * @param problemWith returns the problem with a line, as the rest of a sentence that begins with the parameter.
 */
export function lines(charactersMax: number, problemWith: (line: string) => string | undefined = () => undefined) {
  return z
    .array(z.string())
    .max(100)
    .check(({ value, issues }) => {
      if (value.join("\n").length > charactersMax) {
        issues.push({ code: "custom", message: `has more than ${charactersMax} characters in total`, input: value });
        return;
      }
      for (const line of value) {
        const problem = problemWith(line);
        if (problem) issues.push({ code: "custom", message: problem, input: value });
      }
    })
    .optional()
    .meta({ reading: "lines", charactersMax });
}
