/** A capture of a batch: its thumbnail with a link to the screenshot's page, or its state. */

import { Link } from "@tanstack/react-router";
import type { BatchCapture } from "../api/types.ts";
import { shortAddress } from "../screenshots/address.ts";
import { Thumbnail } from "../screenshots/thumbnail.tsx";
import { Prose } from "../ui/prose.tsx";
import { CaptureBadge } from "./state-badge.tsx";

export function CaptureCard({ capture }: { capture: BatchCapture }) {
  const { name, screenshot, depth, error_message: error } = capture;
  return (
    <li className="group relative grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-2">
      <div className="aspect-16/10 overflow-hidden rounded-lg border border-line bg-sunken group-hover:border-edge">
        {screenshot?.image ? (
          <Thumbnail image={screenshot.image} format={screenshot.format} />
        ) : (
          <div className="grid size-full place-items-center p-4 text-center text-sm text-muted">
            <span className="line-clamp-4 min-w-0 max-w-full wrap-anywhere">
              <Prose text={error ?? ""} />
            </span>
          </div>
        )}
      </div>
      <div className="flex items-start justify-between gap-3 text-sm">
        <div className="min-w-0">
          {screenshot ? (
            <Link
              to="/screenshots/$id"
              params={{ id: screenshot.id }}
              className="block truncate font-medium underline-offset-4 group-hover:underline after:absolute after:inset-0 after:rounded-lg"
            >
              {screenshot.title ?? name}
            </Link>
          ) : (
            <p className="truncate font-medium">{name}</p>
          )}
          {screenshot && <p className="truncate text-muted">{shortAddress(screenshot.url)}</p>}
          {depth !== undefined && <p className="text-muted">Depth {depth}</p>}
        </div>
        <CaptureBadge capture={capture} />
      </div>
    </li>
  );
}
