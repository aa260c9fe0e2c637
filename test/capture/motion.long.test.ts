/** All tests of motion.test.ts; recordings read by ffprobe, if it is installed, and made while every core is busy. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";
import "./motion.test.ts";
import { keepCoresBusy } from "../support/busy.ts";
import { type Captures, startCaptures } from "../support/captures.ts";
import { fileScope } from "../support/scope.ts";

const scope = fileScope();
let captures: Captures;

before(async () => {
  captures = await startCaptures(scope, { SCREENSHOT_TIMEOUT: "90000" });
});

/** A CSS animation, a canvas that frame callbacks draw, a clock that a timer updates, and content that appears when scrolled to. */
const page = `<!doctype html><style>
  body { margin: 0; font: 20px sans-serif; background: linear-gradient(90deg, #fff, #cde) }
  #box { position: absolute; width: 40px; height: 40px; background: #e03131; animation: move 1s ease-in-out infinite alternate }
  @keyframes move { to { transform: translateX(150px) rotate(180deg) } }
  section { height: 150px; opacity: 0; transition: opacity 0.3s } .seen { opacity: 1 }
</style><div id="box"></div><canvas id="waves" width="200" height="100"></canvas><h2 id="time"></h2>
${"<section>A section that fades in</section>".repeat(4)}<script>
  const context = waves.getContext("2d");
  requestAnimationFrame(function draw(now) {
    context.clearRect(0, 0, 200, 100);
    for (let x = 0; x < 200; x += 10) context.fillRect(x, 50 + 40 * Math.sin(x / 40 + now / 200), 8, 8);
    requestAnimationFrame(draw);
  });
  setInterval(() => { time.textContent = (performance.now() / 1000).toFixed(1) + " " + Math.random().toFixed(3) }, 100);
  new IntersectionObserver((all) => all.forEach(({ isIntersecting, target }) => isIntersecting && target.classList.add("seen")))
    .observe(document.querySelectorAll("section")[2]);
</script>`;

const down = { scroll: "down" };
const kinds: { format: string; codec: string; size: number[]; more: Record<string, string> }[] = [
  { format: "webm", codec: "vp9", size: [201, 151], more: down },
  { format: "mp4", codec: "h264", size: [200, 150], more: down },
  { format: "gif", codec: "gif", size: [201, 151], more: {} }, // frames at the end of a scroll would be the same, and stored once
];
const frames = 18; // 1.51 s at 12 per second

for (const { format, codec, size, more } of kinds)
  test(`${format}: codec, size, frames, times and duration are exact, and the bytes the same while every core is busy`, async (t) => {
    const parameters = { format, duration: "1.51", fps: "12", width: "201", height: "151", clock: "2026-01-31T12:00:00Z", ...more };
    const one = await captures.capture(page, { ...parameters, timeout: "90" });
    if (one.json.code === "codec_unavailable") return t.skip(one.json.error);
    assert.equal(one.status, 200, JSON.stringify(one.json));
    const stop = keepCoresBusy();
    const other = await captures.capture(page, { ...parameters, timeout: "90" }).finally(stop);
    assert.deepEqual(other.bytes, one.bytes);

    const file = join(tmpdir(), `tintype-recording-${process.pid}.${format}`);
    t.after(() => rm(file, { force: true }));
    await writeFile(file, one.bytes);
    const probed = await probe(file);
    if (!probed) return t.skip("ffprobe is not installed: only the bytes were compared");
    const { stream, packets, duration } = probed;
    assert.deepEqual([stream.codec_name, stream.width, stream.height, Number(stream.nb_read_frames)], [codec, ...size, frames]);
    assert.equal(duration, 1.51);
    for (const [index, packet] of packets.entries()) {
      const unit = format === "gif" ? 0.01 : 0.001; // of the format's times
      assert.ok(Math.abs(Number(packet.pts_time) - index / 12) <= unit / 2 + 1e-6, `frame ${index} at ${packet.pts_time}`);
    }
  });

interface Probed {
  stream: { codec_name: string; width: number; height: number; nb_read_frames: string };
  packets: { pts_time: string }[];
  duration: number;
}

async function probe(file: string): Promise<Probed | undefined> {
  const entries = "stream=codec_name,width,height,nb_read_frames:packet=pts_time:format=duration";
  const options = ["-v", "error", "-count_frames", "-select_streams", "v", "-show_entries", entries, "-of", "json", file];
  try {
    const { stdout } = await promisify(execFile)("ffprobe", options);
    const { streams, packets, format } = JSON.parse(stdout);
    return { stream: streams[0], packets, duration: Number(format.duration) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
