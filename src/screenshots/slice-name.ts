/** The names of an output's slices: `name-01` and so on. */

const digits = 2;

export function sliceName(output: string, index: number): string {
  return `${output}-${String(index + 1).padStart(digits, "0")}`;
}

/** Whether `name` could be that of a slice of `output`; as files, they may not differ in case alone. */
export function isSliceName(name: string, output: string): boolean {
  return name.toLowerCase().startsWith(`${output.toLowerCase()}-`) && /^\d\d$/.test(name.slice(output.length + 1));
}
