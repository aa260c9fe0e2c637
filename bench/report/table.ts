/** Tables as text for a terminal and as Markdown. */

import type { Table } from "./figures.ts";

export function asText({ title, columns, rows }: Table): string {
  const widths = columns.map((column, index) => Math.max(column.length, ...rows.map((row) => (row[index] ?? "").length)));
  const line = (cells: string[]) =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0))).join("  ");
  return [title, line(columns), widths.map((width) => "─".repeat(width)).join("  "), ...rows.map(line)].join("\n");
}

export function asMarkdown({ title, columns, rows }: Table): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  const rule = `| ${columns.map((_, index) => (index === 0 ? "---" : "---:")).join(" | ")} |`;
  return [`**${title}**`, "", line(columns), rule, ...rows.map(line)].join("\n");
}
