/** Names of an output's slices: `name-01` and so on. */

const digits = 2;

export function sliceName(output: string, index: number): string {
  return `${output}-${String(index + 1).padStart(digits, "0")}`;
}

/** Whether `name` could be a slice of `output`. Ignores case, because the names become file names. */
export function isSliceName(name: string, output: string): boolean {
  return name.toLowerCase().startsWith(`${output.toLowerCase()}-`) && /^\d\d$/.test(name.slice(output.length + 1));
}
