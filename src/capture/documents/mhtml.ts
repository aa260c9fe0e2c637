/** `format=mhtml`: one file with the document and all it shows. */

import type { Work } from "../option-group.ts";

export async function captureMhtml({ tab }: Work): Promise<Buffer> {
  const { data } = await tab.send("Page.captureSnapshot", { format: "mhtml" }, Number.POSITIVE_INFINITY);
  return Buffer.from(data);
}
