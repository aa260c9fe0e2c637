/** Page layout: title, actions, sections, facts. */

import type { ReactNode, Ref } from "react";

interface PageProps {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  /** Uses the full width of the window. */
  wide?: boolean;
  children: ReactNode;
}

/** The heading is focusable: it receives the focus after a navigation, for screen readers. */
export function Page({ title, about, actions, wide = false, children }: PageProps) {
  return (
    <div data-wide={wide || undefined} className="grid grid-cols-1 gap-8">
      <title>{`${title} · Tintype`}</title>
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-4">
        <div className="min-w-0">
          <h1 tabIndex={-1} className="text-2xl font-semibold tracking-tight text-balance wrap-anywhere line-clamp-4">
            {title}
          </h1>
          {about && <div className="mt-1 max-w-2xl text-muted wrap-anywhere">{about}</div>}
        </div>
        {actions && <div className="flex flex-wrap gap-2 sm:gap-3 lg:-mt-1">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function Section({
  title,
  aside,
  children,
  className = "",
  ref,
}: {
  ref?: Ref<HTMLElement>;
  title?: string;
  aside?: ReactNode;
  children: ReactNode;
  className?: string;
}) {
  return (
    <section ref={ref} className={`min-w-0 rounded-2xl border border-line bg-surface p-5 sm:p-6 ${className}`}>
      {title && (
        <div className="mb-4 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
          <h2 className="font-semibold tracking-tight">{title}</h2>
          {aside && <div className="text-sm text-muted">{aside}</div>}
        </div>
      )}
      {children}
    </section>
  );
}

/** A list of names and values. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-6 gap-y-2 text-sm">{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="tabular min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}
