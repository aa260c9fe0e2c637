/** The layout of all signed-in pages: navigation and account. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, type LinkProps, Outlet, useRouterState } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { accountQuery } from "../api/queries.ts";
import { Announcer } from "./announcer.tsx";
import { Brand } from "./brand.tsx";
import { SignOut } from "./sign-out.tsx";

const pages: { to: NonNullable<LinkProps["to"]>; name: string }[] = [
  { to: "/", name: "Overview" },
  { to: "/playground", name: "Playground" },
  { to: "/screenshots", name: "Screenshots" },
  { to: "/keys", name: "API keys" },
  { to: "/plan", name: "Plan" },
  { to: "/settings", name: "Settings" },
];

const entry =
  "block rounded-lg px-3 py-2 font-medium text-muted hover:bg-line/40 hover:text-ink aria-[current=page]:bg-line/70 aria-[current=page]:text-ink";

export function Shell() {
  useFocusOnHeading();
  const { user } = useSuspenseQuery(accountQuery).data;
  const links = (
    <>
      <nav aria-label="Pages">
        <ul className="grid gap-1">
          {[...pages, ...(user.role === "admin" ? [{ to: "/admin" as const, name: "Administration" }] : [])].map(({ to, name }) => (
            <li key={to}>
              <Link to={to} activeOptions={{ exact: to === "/", includeSearch: false }} className={entry}>
                {name}
              </Link>
            </li>
          ))}
          <li>
            <a href="/docs" className={entry}>
              API reference
            </a>
          </li>
        </ul>
      </nav>
      <div className="mt-auto border-t border-line pt-4">
        <p className="px-3 text-sm break-words">
          <span className="block font-medium">{user.name}</span>
          <span className="block truncate text-muted" title={user.email}>
            {user.email}
          </span>
        </p>
        <SignOut className={`${entry} mt-2 w-full text-left`} />
      </div>
    </>
  );
  return (
    <div className="lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
      <a
        href="#content"
        className="sr-only z-50 rounded-lg bg-ink px-4 py-2 text-paper focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        Skip to content
      </a>
      <header className="sticky top-0 hidden h-dvh flex-col gap-8 overflow-y-auto border-r border-line px-4 py-6 lg:flex">
        <Link to="/" className="rounded-lg px-3">
          <Brand />
        </Link>
        {links}
      </header>
      <PhoneHeader>{links}</PhoneHeader>
      <main id="content" className="mx-auto w-full max-w-6xl px-4 py-8 sm:px-8 lg:py-10">
        <Outlet />
      </main>
      <Announcer />
    </div>
  );
}

function PhoneHeader({ children }: { children: ReactNode }) {
  const menu = useRef<HTMLDivElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a navigation closes the menu
  useEffect(() => menu.current?.hidePopover(), [path]);
  return (
    <header className="flex items-center justify-between border-b border-line px-4 py-3 sm:px-8 lg:hidden">
      <Link to="/" className="rounded-lg">
        <Brand />
      </Link>
      <button type="button" popoverTarget="menu" className="min-h-11 rounded-lg border border-edge bg-surface px-4 text-sm font-medium">
        Menu
      </button>
      <div
        ref={menu}
        id="menu"
        popover="auto"
        className="inset-x-0 top-0 m-0 w-full flex-col gap-6 border-b border-line bg-surface p-4 text-ink shadow-xl open:flex"
      >
        <div className="flex items-center justify-between">
          <Brand />
          <button
            type="button"
            popoverTarget="menu"
            popoverTargetAction="hide"
            className="min-h-11 rounded-lg border border-edge px-4 text-sm font-medium"
          >
            Close
          </button>
        </div>
        {children}
      </div>
    </header>
  );
}

/** Moves the focus to the heading after a client-side navigation: screen readers don't notice it otherwise. */
function useFocusOnHeading(): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const last = useRef(path);
  useEffect(() => {
    if (last.current !== undefined && last.current !== path) document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
    last.current = path;
  }, [path]);
}
