/** Recordings: each frame shows the page at its own time, and the same page yields the same bytes. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { before, test } from "node:test";
import sharp from "sharp";
import { delaysOf } from "../../src/capture/motion/animation.ts";
import { writeMp4 } from "../../src/capture/motion/mp4.ts";
import { frameTimes } from "../../src/capture/motion/options.ts";
import { scrollPath } from "../../src/capture/motion/scroll-path.ts";
import { writeWebm } from "../../src/capture/motion/webm.ts";
import { type Captured, type Captures, startCaptures } from "../support/captures.ts";
import { longOnly } from "../support/long-only.ts";
import { fileScope } from "../support/scope.ts";
import type { Page } from "../support/site.ts";

const longTest = longOnly(test);
const scope = fileScope();
let captures: Captures;
let capture: Captures["capture"];

before(async () => {
  captures = await startCaptures(scope);
  ({ capture } = captures);
});

/**
 * Four bands whose brightness tells the time: by a CSS animation, by frame callbacks, by a timer, and by a transition that begins after
 * half a second. All go from black to white in a second of page time.
 */
const page = `<!doctype html><style>
  body { margin: 0 } div { height: 25px; background: #000 }
  @keyframes lighten { to { background: #fff } }
  #css { animation: lighten 1s linear forwards }
  #transition { transition: background 0.5s linear }
</style><div id="css"></div><div id="callbacks"></div><div id="timer"></div><div id="transition"></div><script>
  const shade = (ms) => { const level = Math.round(Math.min(1, ms / 1000) * 255); return "rgb(" + [level, level, level] + ")" };
  requestAnimationFrame(function draw(now) { callbacks.style.background = shade(now); requestAnimationFrame(draw) });
  setInterval(() => { timer.style.background = shade(performance.now()) }, 50);
  setTimeout(() => { document.getElementById("transition").style.background = "#fff" }, 500);
</script>`;

/** The brightness of each band in each frame, whatever its size. */
async function bandsOf(bytes: Uint8Array): Promise<number[][]> {
  const { pages = 1, pageHeight = 100, width } = await sharp(bytes, { animated: true }).metadata();
  const pixels = await sharp(bytes, { animated: true }).removeAlpha().raw().toBuffer();
  const at = (row: number) => pixels[(row * width + Math.floor(width / 2)) * 3] ?? -1;
  return Array.from({ length: pages }, (_, frame) =>
    [0.12, 0.37, 0.62, 0.87].map((share) => at(frame * pageHeight + Math.round(share * pageHeight))),
  );
}

/** @param encoding tolerance for the encoder. */
function assertShows(bands: number[][], fps: number, encoding = 0): void {
  for (const [index, [css = 0, frames = 0, timer = 0, transition = 0]] of bands.entries()) {
    const ms = (index * 1000) / fps;
    const level = (of: number, tolerance: number, actual: number, name: string) =>
      assert.ok(
        Math.abs(actual - Math.min(1, Math.max(0, of)) * 255) <= tolerance + encoding,
        `${name} at ${ms} ms: ${actual} of ${of * 255}`,
      );
    level(ms / 1000, 4, css, "animation");
    level(ms / 1000, 8, frames, "frames"); // up to one frame earlier
    level(ms / 1000, 17, timer, "timer");
    level((ms - 500) / 500, 4, transition, "transition");
  }
}

const delaysIn = async ({ bytes }: Captured) => (await sharp(bytes, { animated: true }).metadata()).delay;

longTest("an animated WebP shows animations, frame callbacks, timers and transitions at each frame's time, twice the same", async () => {
  const parameters = { format: "webp-animation", duration: "1.2", fps: "8", quality: "100" };
  const [one, other] = [await capture(page, parameters), await capture(page, parameters)];
  assert.equal(one.status, 200, JSON.stringify(one.json));
  assert.equal(one.headers.get("content-type"), "image/webp");
  assert.match(one.headers.get("content-disposition") ?? "", /\.webp"?$/);
  assert.equal(one.warnings, null);
  const bands = await bandsOf(one.bytes);
  assert.equal(bands.length, 9);
  assertShows(bands, 8);
  assert.deepEqual(await delaysIn(one), Array(8).fill(125).concat(200));
  assert.deepEqual(one.bytes, other.bytes);
});

/** What a `<video>` makes of a file: its length and size, and the brightness of each band at `times`, in seconds; undefined if it can't play it. */
async function played({ bytes }: Captured, type: string, times: number[]): Promise<{ facts: number[]; bands: number[][] } | undefined> {
  captures.site.serve({ "/recording": (_, response) => void response.end(bytes) });
  const play = `(async () => {
    const video = document.createElement("video");
    if (video.canPlayType(${JSON.stringify(type)}) === "") return null;
    video.src = URL.createObjectURL(await (await fetch("/recording")).blob());
    const until = (event) => new Promise((resolve, reject) => { video["on" + event] = resolve; video.onerror = () => reject(video.error) });
    await until("loadeddata");
    const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight).getContext("2d", { willReadFrequently: true });
    const bands = [];
    for (const time of ${JSON.stringify(times)}) {
      video.currentTime = time;
      await until("seeked");
      let frame;
      // On a busy machine the element may still have the previous frame. Its timestamp is in microseconds.
      for (let tries = 0; tries < 100; tries += 1) {
        frame?.close();
        frame = new VideoFrame(video);
        if (frame.timestamp / 1e6 > time - 0.1) break;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      canvas.drawImage(frame, 0, 0);
      frame.close();
      bands.push([12, 37, 62, 87].map((y) => canvas.getImageData(100, y, 1, 1).data[0]));
    }
    return { facts: [video.duration, video.videoWidth, video.videoHeight], bands };
  })()`;
  const result = await captures.ask(play, { wait_for_function: "document.title", width: "300", height: "200" });
  return (result ?? undefined) as { facts: number[]; bands: number[][] } | undefined;
}

const videos = { webm: 'video/webm; codecs="vp9"', mp4: 'video/mp4; codecs="avc1.640034"' };

for (const [format, type] of Object.entries(videos))
  longTest(`${format}: Chromium plays each frame at its time; twice the same bytes`, async (t) => {
    const parameters = { format, duration: "1.05", fps: "10", quality: "100" };
    const one = await capture(page, parameters);
    if (one.json.code === "codec_unavailable") {
      assert.match(one.json.error ?? "", /^This service's Chromium can't encode (VP9|H\.264), which format=/);
      return t.skip(one.json.error);
    }
    assert.equal(one.status, 200, JSON.stringify(one.json));
    assert.equal(one.headers.get("content-type"), `video/${format}`);
    assert.deepEqual(one.bytes, (await capture(page, parameters)).bytes);
    const times = Array.from({ length: 10 }, (_, index) => index / 10 + 0.05);
    const shown = await played(one, type, times);
    if (!shown) return t.skip(`this Chromium encodes, but doesn't play ${type}: the long tests read it with ffprobe`);
    assert.deepEqual(shown.facts, [1.05, 200, 100]);
    assertShows(shown.bands, 10, 6);
  });

test("scroll=down goes from the top of the page to its bottom, and content is revealed on the way", async () => {
  const long = `<!doctype html><style>body { margin: 0 } section { height: 100px; background: #fff } .seen { background: #000 }</style>
    ${"<section></section>".repeat(4)}<div style="height: 100px; background: #888"></div><script>
    new IntersectionObserver((all, observer) => { for (const { isIntersecting, target } of all) target.classList.toggle("seen", isIntersecting) })
      .observe(document.querySelectorAll("section")[3]);
  </script>`;
  const { bytes, status, warnings } = await capture(long, {
    format: "webp-animation",
    scroll: "down",
    duration: "2",
    fps: "5",
    quality: "100",
  });
  assert.deepEqual([status, warnings], [200, null]);
  const bands = await bandsOf(bytes);
  assert.deepEqual(
    [bands[0], bands.at(-1)],
    [
      [255, 255, 255, 255],
      [136, 136, 136, 136],
    ],
  );
  assert.ok(
    bands.some((levels) => levels.includes(0)),
    "the fourth section is black once it is in view",
  );
});

longTest("steps are performed at their times while the page is recorded, also on elements that appear meanwhile", async () => {
  // The bands turn white when they are clicked, hovered or typed into; the last one is a button that appears late, and turns gray.
  const acted = `<!doctype html><style>body { margin: 0 } * { box-sizing: border-box } div, input, button {
      display: block; width: 200px; height: 25px; border: 0; padding: 0; background: #000; color: transparent; outline: 0 }
      .on, #hovered:hover, input:not(:placeholder-shown) { background: #fff } #late { visibility: hidden } #late.on { background: #888 }</style>
    <div id="clicked" onclick="setTimeout(() => { this.className = 'on' }, 100); setTimeout(() => { late.style.visibility = 'visible' }, 800)"></div>
    <div id="hovered"></div><input placeholder=" "><button id="late" onclick="this.className = 'on'"></button>`;
  const steps = [
    { wait: 0.2 },
    { click: "#clicked" },
    { wait: 0.3 },
    { hover: "#hovered" },
    { type: "input", text: "word" },
    { click: "#late" },
  ];
  const parameters = { format: "webp-animation", duration: "1.5", fps: "10", quality: "100", steps: JSON.stringify(steps) };
  const one = await capture(acted, parameters);
  assert.deepEqual([one.status, one.warnings], [200, null], JSON.stringify(one.json));
  assert.deepEqual(one.bytes, (await capture(acted, parameters)).bytes);
  const [bands, delays = []] = [await bandsOf(one.bytes), (await delaysIn(one)) ?? []];
  const at = (ms: number) => bands[delays.findIndex((_, index) => delays.slice(0, index + 1).reduce((sum, delay) => sum + delay, 0) > ms)];
  const [black, gray, white] = [0, 136, 255];
  assert.deepEqual(at(0), [black, black, black, white]); // the button is invisible on a white page
  assert.deepEqual(at(250), [black, black, black, white]);
  assert.deepEqual(at(350), [white, black, black, white]);
  assert.deepEqual(at(550), [white, black, white, white]); // the mouse has moved from the second band to the field
  assert.deepEqual(at(950), [white, black, white, white]);
  assert.deepEqual(at(1_050), [white, black, white, gray]);
});

test("steps that can't be shown in a recording are refused", async () => {
  const page = `<!doctype html><a href="/elsewhere">away</a><p>page`;
  captures.site.serve({ "/elsewhere": "<!doctype html><p>elsewhere" });
  const take = async (steps: object[], more: Record<string, string> = {}) => {
    const { status, json } = await capture(page, { format: "gif", duration: "1", fps: "5", steps: JSON.stringify(steps), ...more });
    return `${status} ${json.error}`;
  };
  assert.match(await take([{ wait: 0.9 }, { press: "End" }]), /^400 steps has a step after 0\.9 s, but the last frame is at 0\.8 s/);
  assert.match(await take([{ press: "End" }], { scroll: "down" }), /^400 scroll can't be used with steps/);
  assert.match(await take([{ click: "a" }]), /^400 steps lead to another page, but a recording shows only one/);
  assert.match(
    await take([{ wait: "#never" }, { press: "End" }]),
    /^400 The recording ended before an element that matches the selector #never in steps/,
  );
  assert.match(await take([{ wait: 0.8 }, { press: "End" }, { wait: 9 }], { duration: "1" }), /^200/);
});

test("a gif has the same frames, with delays in hundredths of a second that add up to its duration", async () => {
  const { status, bytes, headers, json } = await capture(page, { format: "gif", duration: "0.5", fps: "15", image_width: "100" });
  assert.equal(status, 200, JSON.stringify(json));
  assert.equal(headers.get("content-type"), "image/gif");
  const { width, pageHeight, pages, loop, delay } = await sharp(bytes, { animated: true }).metadata();
  assert.deepEqual({ width, pageHeight, pages, loop }, { width: 100, pageHeight: 50, pages: 7, loop: 0 });
  assert.deepEqual(delay, [70, 60, 70, 70, 60, 70, 100]);
  assertShows(await bandsOf(bytes), 15);
});

longTest("a page that stands still is one frame, and delay lets page time pass before the recording", async () => {
  const late = "<script>setTimeout(() => { document.body.style.background = '#fff' }, 900)</script>";
  const { bytes, status } = await capture(`<!doctype html><body style="margin:0;background:#000">${late}`, {
    format: "webp-animation",
    delay: "1",
    duration: "2",
  });
  assert.equal(status, 200);
  assert.deepEqual(await bandsOf(bytes), [[255, 255, 255, 255]]);
});

test("a recording costs one screenshot for every 5 seconds or part thereof, and nothing if it fails", async () => {
  const { service, site } = captures;
  const { key: own, userId } = await service.createAccount({ quota: 3 });
  site.serve({ "/still": "<!doctype html><p>still" });
  const take = async (parameters: Record<string, string>) => {
    const response = await service.take({
      api_key: own,
      url: `${site.origin}/still`,
      width: "100",
      height: "100",
      fps: "1",
      ...parameters,
    });
    return { status: response.status, body: await response.text() };
  };
  const failed = await take({ format: "gif", duration: "10", selector: "#missing" });
  assert.equal(failed.status, 400, failed.body);
  const tooLong = await take({ format: "gif", duration: "15.1" });
  assert.equal(tooLong.status, 403);
  assert.match(tooLong.body, /The request costs 4 screenshots, but the monthly quota of 3 has only 3 left/);
  assert.equal((await take({ format: "gif", duration: "5" })).status, 200);
  const outputs = [{ format: "gif", duration: 5.1, fps: 1, width: 100, height: 100 }];
  const queued = await service.send("POST", "/v1/captures", own, { url: `${site.origin}/still`, async: true, outputs });
  assert.equal(queued.status, 202, JSON.stringify(queued.json));
  assert.equal(await service.used(userId), 3);
  const ended = await service.send("GET", `/v1/captures/${queued.json.id}?wait=30`, own);
  assert.equal(ended.json.status, "done", JSON.stringify(ended.json));
  assert.equal((await take({ format: "png" })).status, 403);
});

test("options that a recording can't have are refused, and its size is limited", async () => {
  const refusals: [Record<string, string>, RegExp][] = [
    [{ full_page: "true" }, /full_page can't be used with format=gif/],
    [{ mask_selectors: "p" }, /mask_selectors can't be used/],
    [{ on_timeout: "partial" }, /on_timeout can't be used/],
    [{ max_bytes: "5000" }, /max_bytes can't be used/],
    [{ fit: "model" }, /fit can't be used/],
    [{ scroll: "down", selector: "p" }, /scroll can't be used with selector or clip_x/],
    [{ fps: "60" }, /fps must be at most 50/],
    [{ duration: "31" }, /duration/],
    [{ width: "1000", height: "1000", duration: "30" }, /300 frames of 1000 × 1000 pixels, more than 100 million/],
  ];
  for (const [parameters, message] of refusals) {
    const { status, json } = await capture("<!doctype html><p>page", { format: "gif", ...parameters });
    assert.deepEqual([status, message.test(JSON.stringify(json))], [400, true], JSON.stringify(json));
  }
  const outputs = [{ format: "gif" }, { format: "png" }];
  const several = await captures.service.send("POST", "/v1/captures", captures.key, { url: captures.site.origin, outputs });
  assert.match(
    JSON.stringify(several.json),
    /outputs\[0\].format can't be gif here, because a recording must be the only output of its request/,
  );
  const { warnings } = await capture("<!doctype html><p>page", { duration: "3" });
  assert.match(warnings ?? "", /duration had no effect: png is not one of/);
});

/** The number of turns of the event loop that `work` takes. */
async function turnsOf<T>(work: Promise<T>): Promise<{ result: T; turns: number }> {
  let turns = 0;
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await new Promise(setImmediate);
    turns += 1;
  }
  return { result: await ended, turns };
}

const writers = {
  webm: { write: writeWebm, hash: "4e41f61d43a54273cd9b81ca8a54569ce0ae9c31c6a6e580a7369e161aedc8c8" },
  mp4: { write: writeMp4, hash: "d0d135375f5b6e9fb4b766b1283525059fb4af30e2024fc6fe324966db9be2dc" },
};

for (const [format, { write, hash }] of Object.entries(writers))
  test(`a ${format} of 24 MB is written in turns of the event loop`, async () => {
    const megabyte = 1024 * 1024;
    const frames = Array.from({ length: 12 }, (_, index) => ({
      bytes: Buffer.alloc(2 * megabyte, `frame ${index} `),
      isKey: index % 5 === 0,
      atMs: index * 100,
    }));
    const color = { primaries: 1, transfer: 13, matrix: 0, isFullRange: true };
    const video = { width: 640, height: 480, fps: 10, durationMs: 1_250, frames, color, description: Buffer.from("description") };
    const { result, turns } = await turnsOf((async () => await write(video))());
    // The hash of the same file written in one turn.
    assert.equal(createHash("sha256").update(result).digest("hex"), hash);
    assert.ok(turns >= 24, `${turns} turns`);
  });

test("times of frames and their delays are exact", () => {
  assert.deepEqual(frameTimes({ durationMs: 100, fps: 30 }), [0, 1000 / 30, 2000 / 30]);
  assert.equal(frameTimes({ durationMs: 30_000, fps: 60 }).length, 1800);
  assert.deepEqual(frameTimes({ durationMs: 100, fps: 1 }), [0]);
  const frames = frameTimes({ durationMs: 1000, fps: 30 }).map((atMs) => ({ atMs }));
  const sum = (delays: number[]) => delays.reduce((one, other) => one + other, 0);
  assert.equal(sum(delaysOf(frames, 1000, "gif")), 1000);
  assert.equal(sum(delaysOf(frames, 1000, "webp-animation")), 1000);
});

test("the path of a scroll rests at the top, at sections and at the bottom, and never goes back", () => {
  const at = scrollPath({ sections: [480, 900, 950, 1700], bottom: 2500, windowHeight: 600 }, 10_000);
  const positions = Array.from({ length: 101 }, (_, index) => at(index * 100));
  assert.deepEqual([positions[0], positions.at(-1)], [0, 2500]);
  const steps = positions.slice(1).map((position, index) => position - (positions[index] ?? 0));
  assert.ok(
    steps.every((step) => step >= 0 && step < 150),
    steps.join(),
  );
  const rests = [...new Set(positions.filter((position, index) => position === positions[index + 1]))];
  assert.deepEqual(rests, [0, 480, 950, 1520, 2090, 2500]);
  assert.equal(scrollPath({ sections: [], bottom: 0, windowHeight: 600 }, 1000)(500), 0);
});

test("the path of a scroll takes no longer to find for a long page with many sections in a low window", () => {
  const sections = Array.from({ length: 1000 }, (_, index) => (index + 1) * 1000);
  const before = process.threadCpuUsage();
  const at = scrollPath({ sections, bottom: 1_100_000, windowHeight: 1 }, 30_000);
  const { user, system } = process.threadCpuUsage(before);
  assert.deepEqual([at(0), at(30_000)], [0, 1_100_000]);
  assert.ok(user + system < 100_000, `${(user + system) / 1000} ms`);
  assert.equal(scrollPath({ sections: [], bottom: 5, windowHeight: 0 }, 1000)(1000), 5); // some phones' pages are scaled to no height
});

test("a recording of a page that stays empty while it loads is an error that says so", async () => {
  const page: Page = (_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    const timer = setInterval(() => response.write(" "), 50);
    response.on("close", () => clearInterval(timer));
  };
  const { status, json } = await capture(page, { format: "gif", timeout: "20", wait_until_timeout: "1" });
  assert.deepEqual([status, json.code], [400, "not_a_page"], String(json.error));
});
