/** Empty state of a list: an example of its content, and a link to the first step. */

import type { ReactNode } from "react";
import { Badge } from "./badge.tsx";
import { DrawnPage } from "./drawn-page.tsx";

interface EmptyProps {
  title: string;
  children: ReactNode;
  action?: ReactNode;
  /** Omit it if the list is empty only because of the filter. */
  example?: ReactNode;
}

export function Empty({ title, children, action, example }: EmptyProps) {
  return (
    <div className="overflow-hidden rounded-2xl border border-dashed border-edge/60">
      {example && (
        <div aria-hidden="true" inert className="mask-b-from-30% mask-b-to-100% px-4 pt-4 opacity-75 select-none sm:px-6 sm:pt-6">
          <p className="mb-2 text-xs font-medium text-muted">Example</p>
          {example}
        </div>
      )}
      <div className={`grid justify-items-center gap-3 px-6 text-center ${example ? "pt-4 pb-10" : "py-14"}`}>
        <h2 className="font-semibold tracking-tight">{title}</h2>
        <p className="max-w-md text-balance text-muted">{children}</p>
        {action && <div className="mt-1">{action}</div>}
      </div>
    </div>
  );
}

export interface ExampleRow {
  title: string;
  about: string;
  badge: [tone: Parameters<typeof Badge>[0]["tone"], text: string];
  /** Content of the middle column. */
  middle?: ReactNode;
  /** Text on the right. */
  time: string;
  /** Shows a thumbnail with a header of this color. */
  color?: string;
}

export function ExampleRows({ rows }: { rows: ExampleRow[] }) {
  return (
    <ul className="divide-y divide-line rounded-2xl border border-line bg-surface text-sm">
      {rows.map(({ title, about, badge, middle, time, color }) => (
        <li key={title} className="flex items-center gap-4 px-5 py-3.5">
          {color && (
            <div className="aspect-16/10 w-20 shrink-0 overflow-hidden rounded-lg border border-line">
              <DrawnPage color={color} />
            </div>
          )}
          <div className="grid min-w-0 flex-1 gap-1">
            <p className="flex min-w-0 items-center gap-3">
              <span className="truncate font-medium">{title}</span>
              <Badge tone={badge[0]}>{badge[1]}</Badge>
            </p>
            <p className="truncate text-muted">{about}</p>
          </div>
          {middle && <div className="w-40 shrink-0 max-sm:hidden lg:w-64">{middle}</div>}
          <p className="w-28 shrink-0 text-right text-muted max-sm:hidden">{time}</p>
        </li>
      ))}
    </ul>
  );
}

const pages = [
  { title: "Pricing", address: "example.com/pricing", color: "bg-accent" },
  { title: "Field notes", address: "blog.example.com", color: "bg-warn" },
  { title: "Sign in", address: "app.example.com", color: "bg-ink" },
];

export function ExampleScreenshots() {
  return (
    <ul className="grid grid-cols-1 gap-5 sm:grid-cols-3">
      {pages.map(({ title, address, color }, index) => (
        <li key={title} className={`grid gap-2 text-sm ${index > 0 ? "max-sm:hidden" : ""}`}>
          <div className="aspect-16/10 overflow-hidden rounded-lg border border-line">
            <DrawnPage color={color} />
          </div>
          <div className="flex items-start justify-between gap-3">
            <div className="min-w-0">
              <p className="truncate font-medium">{title}</p>
              <p className="truncate text-muted">{address}</p>
            </div>
            <Badge tone="good">Captured</Badge>
          </div>
        </li>
      ))}
    </ul>
  );
}
