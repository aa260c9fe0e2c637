/** What stands where a page's content would: while it loads, when there is none, when it failed. */

import type { ErrorComponentProps } from "@tanstack/react-router";
import { useRouter } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ApiError } from "../api/client.ts";
import { Button, ButtonLink } from "./button.tsx";

/** Shown only when loading takes long enough to notice. */
export function Loading() {
  return (
    <div className="grid gap-8" aria-busy="true">
      <p role="status" className="sr-only">
        Loading
      </p>
      <div className="h-8 w-48 rounded-lg bg-line motion-safe:animate-pulse" />
      <div className="h-40 rounded-2xl border border-line bg-surface motion-safe:animate-pulse" />
      <div className="h-64 rounded-2xl border border-line bg-surface motion-safe:animate-pulse" />
    </div>
  );
}

export function Empty({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <div className="grid justify-items-center gap-3 rounded-2xl border border-dashed border-edge/60 px-6 py-14 text-center">
      <svg viewBox="0 0 48 56" className="h-14 text-edge" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
        <rect x="1" y="1" width="46" height="54" rx="6" />
        <ellipse cx="24" cy="28" rx="14" ry="18" strokeDasharray="3 4" />
      </svg>
      <h2 className="font-semibold tracking-tight">{title}</h2>
      <p className="max-w-md text-muted">{children}</p>
      {action}
    </div>
  );
}

export function Failed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const gone = error instanceof ApiError && error.status === 404;
  const again = () => {
    reset();
    void router.invalidate();
  };
  return (
    <div className="grid justify-items-start gap-4" role="alert">
      <title>{gone ? "Not here · Tintype" : "Failed · Tintype"}</title>
      <h1 className="text-2xl font-semibold tracking-tight">{gone ? "This isn't here" : "This could not be loaded"}</h1>
      <p className="max-w-xl text-muted">{gone ? "It was removed, or it belongs to another account." : String((error as Error).message)}</p>
      {error instanceof ApiError && error.requestId && <p className="font-mono text-sm text-muted">{error.requestId}</p>}
      {gone ? <ButtonLink to="/">To the overview</ButtonLink> : <Button onClick={again}>Try again</Button>}
    </div>
  );
}

/** For what stands alone, without the account's pages around it. */
function Alone({ children }: { children: ReactNode }) {
  return <main className="mx-auto grid min-h-dvh w-full max-w-xl content-center px-4 py-10">{children}</main>;
}

export function FailedAlone(props: ErrorComponentProps) {
  return (
    <Alone>
      <Failed {...props} />
    </Alone>
  );
}

export function NotFoundAlone() {
  return (
    <Alone>
      <NotFound />
    </Alone>
  );
}

export function NotFound() {
  return (
    <div className="grid justify-items-start gap-4">
      <title>Not here · Tintype</title>
      <h1 tabIndex={-1} className="text-2xl font-semibold tracking-tight">
        There is no such page
      </h1>
      <ButtonLink to="/">To the overview</ButtonLink>
    </div>
  );
}
