/** Prints lists, as tables or as lines of JSON. */

import { print } from "./say.ts";

/** Columns are separated by tabs. */
export async function printTable<T>(
  items: AsyncIterable<T> | Iterable<T>,
  head: string[],
  row: (item: T) => string[],
  isJson: boolean,
): Promise<void> {
  if (!isJson) print(head.join("\t"));
  for await (const item of items)
    print(
      isJson
        ? JSON.stringify(item)
        : row(item)
            .map((cell) => cell.replace(/\s+/g, " "))
            .join("\t"),
    );
}
