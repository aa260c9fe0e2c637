/** Captures a page's image and elements in one load. */

import assert from "node:assert/strict";
import type { Shot } from "../../src/comparison/comparison.ts";
import type { Captures } from "../support/captures.ts";

export async function shoot({ service, site, key }: Captures, page: string, parameters: Record<string, unknown> = {}): Promise<Shot> {
  const { format = "png", quality, ...options } = parameters;
  site.serve({ "/compared": page });
  const image = { format, ...(quality ? { quality } : {}) };
  const body = { api_key: key, url: `${site.origin}/compared`, width: 1000, height: 900, full_page: true, ...options };
  const answer = await fetch(`${service.origin}/v1/captures`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...body, outputs: [image, { format: "elements" }] }),
  });
  const description = await answer.json();
  assert.equal(answer.status, 200, JSON.stringify(description));
  const [file, list] = await Promise.all(description.outputs.map(({ url }: { url: string }) => fetch(url)));
  return { image: Buffer.from(await file.arrayBuffer()), elements: await list.json() };
}
