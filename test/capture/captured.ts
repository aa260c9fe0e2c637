/** Captures one page after the other as small PNGs, for tests of what is in the picture. */

import type { TestService } from "../support/service.ts";
import type { Page, Site } from "../support/site.ts";

export interface Captured {
  status: number;
  bytes: Uint8Array;
  /** Of an answer that isn't a picture. */
  error?: { code: string; error: string };
  warnings: string | null;
  /** `ready` or `timeout`, as `Server-Timing` says. */
  waitEnded: string | undefined;
  ms: number;
}

/** A function that serves `page` at an address of its own and captures it. */
export function capturing(site: Site, service: TestService, key: string) {
  let pages = 0;
  return async (page: Page, parameters: Record<string, string | string[]> = {}): Promise<Captured> => {
    pages += 1;
    const path = `/captured-${pages}`;
    site.serve({ [path]: page });
    const started = performance.now();
    const response = await service.take({
      api_key: key,
      url: site.origin + path,
      format: "png",
      width: "200",
      height: "100",
      ...parameters,
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const isError = response.headers.get("content-type")?.includes("json");
    return {
      status: response.status,
      bytes,
      ...(isError ? { error: JSON.parse(Buffer.from(bytes).toString()) } : {}),
      warnings: response.headers.get("x-warnings"),
      waitEnded: /wait;dur=[\d.]+;desc="(\w+)"/.exec(response.headers.get("server-timing") ?? "")?.[1],
      ms: performance.now() - started,
    };
  };
}
