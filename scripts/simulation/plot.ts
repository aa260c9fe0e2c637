/** Draws the plot of docs/scaling.md: workers and queued captures over a day. */

import type { Outcome } from "./fleet.ts";

const size = { width: 900, height: 240, left: 60, right: 20, top: 34, bottom: 30 };
const colors = { running: "#c3d7ee", workers: "#1f5fa8", queued: "#c0392b" };

/** @param days days, plotted one below the other on the same scale. @param slots slots per worker. @param hourMs length of an hour. */
export function plotDays(days: { title: string; outcome: Outcome }[], slots: number, hourMs: number): string {
  const samples = days.flatMap(({ outcome }) => outcome.samples);
  const most = Math.max(...samples.map(({ workers, running, queued }) => Math.max(workers * slots, running, queued)));
  const x = (atMs: number) => size.left + (atMs / (24 * hourMs)) * (size.width - size.left - size.right);
  const plotHeight = size.height - size.top - size.bottom;
  const panels = days.map(({ title, outcome }, index) => {
    const top = index * size.height;
    const y = (value: number) => top + size.top + plotHeight * (1 - value / most);
    const line = (of: (sample: Outcome["samples"][number]) => number) =>
      outcome.samples.map((sample) => `${x(sample.atMs).toFixed(1)},${y(of(sample)).toFixed(1)}`).join(" ");
    const ticks = [0, 0.5, 1].map((share) => {
      const value = Math.round(most * share);
      return `<line x1="${size.left}" x2="${size.width - size.right}" y1="${y(value)}" y2="${y(value)}" stroke="#ddd"/>
<text x="${size.left - 8}" y="${y(value) + 4}" text-anchor="end">${value}</text>`;
    });
    const labels = [0, 6, 12, 18, 24].map(
      (hour) => `<text x="${x(hour * hourMs)}" y="${top + size.height - 10}" text-anchor="middle">${hour}:00</text>`,
    );
    return `<text x="${size.left}" y="${top + 20}" font-weight="600">${title}</text>
${ticks.join("\n")}
${labels.join("\n")}
<polygon points="${x(0)},${y(0)} ${line(({ running }) => running)} ${x(24 * hourMs)},${y(0)}" fill="${colors.running}"/>
<polyline points="${line(({ workers }) => workers * slots)}" fill="none" stroke="${colors.workers}" stroke-width="1.5"/>
<polyline points="${line(({ queued }) => queued)}" fill="none" stroke="${colors.queued}" stroke-width="1"/>`;
  });
  const names = { running: "running captures", workers: "slots of all workers", queued: "waiting captures" };
  const height = days.length * size.height + 24;
  const key = Object.entries(names).map(
    (
      [name, text],
      index,
    ) => `<rect x="${size.left + index * 230}" y="${height - 16}" width="12" height="12" fill="${colors[name as keyof typeof names]}"/>
<text x="${size.left + index * 230 + 18}" y="${height - 5}">${text}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${height}" viewBox="0 0 ${size.width} ${height}" font-family="system-ui, sans-serif" font-size="13">
<title>Slots and captures of a simulated day</title>
<rect width="${size.width}" height="${height}" fill="#fff"/>
${panels.join("\n")}
${key.join("\n")}
</svg>
`;
}
