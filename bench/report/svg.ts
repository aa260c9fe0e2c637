/** Bar charts as SVG, readable on light and dark backgrounds. */

import type { Bars } from "./figures.ts";

const width = 760;
const labelWidth = 150;
const rowHeight = 24;
const headHeight = 44;
const gap = 20;

export function barChart(charts: Bars[]): string {
  let y = 0;
  const panels = charts.map((chart) => {
    const panel = `<g transform="translate(0 ${y})">${panelOf(chart)}</g>`;
    y += headHeight + chart.bars.length * rowHeight + gap;
    return panel;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y}" viewBox="0 0 ${width} ${y}" font-family="system-ui, sans-serif" font-size="13">
<title>Tintype and others, measured</title>
<style>text { fill: #24292f } .unit, .value { fill: #57606a } .bar { fill: #8c959f } .own { fill: #1f6feb } .ground { fill: #fff }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .unit, .value { fill: #9198a1 } .bar { fill: #6e7681 } .ground { fill: #0d1117 } }</style>
<rect class="ground" width="${width}" height="${y}"/>
${panels.join("\n")}
</svg>
`;
}

function panelOf({ title, unit, bars }: Bars): string {
  const shown = bars.filter(({ value }) => Number.isFinite(value));
  const longest = Math.max(...shown.map(({ value }) => value), Number.MIN_VALUE);
  const scale = (width - labelWidth - 90) / longest;
  const rows = shown.map(({ label, value }, index) => {
    const y = headHeight + index * rowHeight;
    const length = Math.max(1, value * scale).toFixed(1);
    const kind = label.startsWith("tintype") ? "own" : "bar";
    return `<text x="${labelWidth - 10}" y="${y + 15}" text-anchor="end">${escaped(label)}</text>
<rect class="${kind}" x="${labelWidth}" y="${y + 2}" width="${length}" height="${rowHeight - 6}" rx="2"/>
<text class="value" x="${labelWidth + Number(length) + 8}" y="${y + 15}">${value.toFixed(2)}</text>`;
  });
  return `<text x="12" y="20" font-weight="600" font-size="15">${escaped(title)}</text><text class="unit" x="12" y="36">${escaped(unit)}</text>
${rows.join("\n")}`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
