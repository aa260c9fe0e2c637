/** Pages on which the `clock` option never reaches the end of the page's time. */

import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Captures } from "../support/captures.ts";
import { eventually } from "../support/eventually.ts";
import { pixelAt } from "../support/image.ts";

/** Each of these pages keeps requests or CPUs busy for as long as page time passes. */
const stubborn: Record<string, string> = {
  "endlessly overlapping fetches": `<script>let q = 0; async function again() { for (;;) await fetch("/delay?ms=1500&q=" + q++) } for (let i = 0; i < 10; i += 1) fetch("/delay?ms=" + i * 150).then(again, again)</script>`,
  "endlessly overlapping images": `<img id="one"><img id="other"><script>let q = 0; const chain = (image) => { image.onload = () => { image.src = "/delay.svg?ms=800&q=" + q++ }; image.onload() }; chain(one); setTimeout(() => chain(other), 400)</script>`,
  "requests that are never answered": `<script>let q = 0; setInterval(() => fetch("/hang?q=" + q++), 500)</script>`,
  "workers that never return": `<script>for (let i = 0; i < 5; i += 1) new Worker(URL.createObjectURL(new Blob(["for (;;);"])))</script>`,
  "a timer that never returns": `<script>setTimeout(() => { for (;;); }, 100)</script>`,
  "a frame with a timer that never returns": `<iframe src="/stuck"></iframe>`,
  "timers that take longer than their interval": `<script>setTimeout(function again() { let sum = 0; for (let i = 0; i < 4e8; i += 1) sum += i; setTimeout(again, 10, sum) }, 10)</script>`,
};

export const stubbornPages = Object.keys(stubborn);

/** Captures the pages with these names, with each value of `wait_until`. */
export function testStubborn(captures: () => Captures, names: string[], waits: string[]): void {
  test("clock: pages that never stop are captured as they are, with a warning, and release their browsers", async () => {
    const { site, capture } = captures();
    serveEndless(site);
    const outcomes: Record<string, unknown[]> = {};
    for (const name of names)
      for (const wait_until of waits) {
        const page = `<!doctype html><body style="background: #0f0">${stubborn[name] ?? assert.fail(name)}`;
        const { status, bytes, json, warnings } = await capture(page, {
          clock: "fast",
          wait_until,
          wait_until_timeout: "2",
          timeout: "12",
        });
        const colour = status === 200 ? pixelAt(bytes, 199, 99) : json.error;
        outcomes[`${name}, ${wait_until}`] = [status, colour, String(warnings).includes("its clock was stopped")];
      }
    assert.deepEqual(outcomes, Object.fromEntries(Object.keys(outcomes).map((name) => [name, [200, "#00ff00", true]])));
    await slotsAreIdle(captures());
  });
}

function serveEndless(site: Captures["site"]): void {
  const delayed = (type: string) => (request: IncomingMessage, response: ServerResponse) =>
    void setTimeout(
      () => response.writeHead(200, { "content-type": type }).end('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
      Number(new URLSearchParams(request.url?.split("?")[1]).get("ms")),
    );
  site.serve({
    "/delay": delayed("text/plain"),
    "/delay.svg": delayed("image/svg+xml"),
    "/hang": () => {},
    "/stuck": "<script>setTimeout(() => { for (;;); }, 100)</script>",
  });
}

export async function slotsAreIdle({ service }: Captures): Promise<void> {
  await eventually("every browser is idle", async () => {
    await setImmediate();
    return service.services.slots.state().running === 0;
  });
}
