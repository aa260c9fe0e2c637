/** What a page shows while loading, after a failure, or if nothing was found. */

import type { ErrorComponentProps } from "@tanstack/react-router";
import { useRouter } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ApiError } from "../api/client.ts";
import { Button, ButtonLink } from "./button.tsx";
import { Prose } from "./prose.tsx";

/** Shown only if loading takes noticeably long. */
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

export function Failed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const missing = error instanceof ApiError && error.status === 404;
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <div className="grid min-h-[60dvh] place-content-center justify-items-center gap-4 text-center" role="alert">
      <title>{missing ? "Not found · Tintype" : "Error · Tintype"}</title>
      <h1 className="text-2xl font-semibold tracking-tight">{missing ? "Not found" : "This page could not be loaded"}</h1>
      <p className="max-w-xl text-muted">
        {missing ? "It has been deleted, or belongs to another account." : <Prose text={String((error as Error).message)} />}
      </p>
      {error instanceof ApiError && error.requestId && <p className="font-mono text-sm text-muted">{error.requestId}</p>}
      {missing ? <ButtonLink to="/">Go to overview</ButtonLink> : <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

/** For pages outside the signed-in layout. */
function Standalone({ children }: { children: ReactNode }) {
  return <main className="mx-auto grid min-h-dvh w-full max-w-xl content-center px-4 py-10">{children}</main>;
}

export function StandaloneFailed(props: ErrorComponentProps) {
  return (
    <Standalone>
      <Failed {...props} />
    </Standalone>
  );
}

export function StandaloneNotFound() {
  return (
    <Standalone>
      <NotFound />
    </Standalone>
  );
}

export function NotFound() {
  return (
    <div className="grid min-h-[60dvh] place-content-center justify-items-center gap-4 text-center">
      <title>Not found · Tintype</title>
      <p aria-hidden="true" className="font-mono text-sm text-muted">
        404
      </p>
      <h1 tabIndex={-1} className="text-2xl font-semibold tracking-tight">
        Page not found
      </h1>
      <p className="max-w-sm text-balance text-muted">The URL may be misspelled, or the page has been deleted.</p>
      <ButtonLink to="/">Go to overview</ButtonLink>
    </div>
  );
}
