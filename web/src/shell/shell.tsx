/** The layout of all signed-in pages: navigation and account. */

import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { PaymentBanner } from "../plan/payment-banner.tsx";
import { Icon } from "../ui/icon.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { Brand } from "./brand.tsx";
import { Navigation } from "./navigation.tsx";
import { SearchButton, useSearchDialog } from "./search.tsx";
import { SearchDialog } from "./search-dialog.tsx";

export function Shell() {
  useFocusOnHeading();
  const [isSearching, setSearching] = useSearchDialog();
  const links = <Links onSearch={() => setSearching(true)} />;
  return (
    <div className="has-data-bleed:h-dvh max-lg:has-data-bleed:flex max-lg:has-data-bleed:flex-col lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
      <a
        href="#content"
        className="sr-only z-50 rounded-lg bg-ink px-4 py-2 text-paper focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        Skip to content
      </a>
      <header className="sticky top-0 hidden h-dvh flex-col gap-4 overflow-y-auto border-r border-line px-4 py-5 [scrollbar-width:thin] lg:flex">
        <Link to="/" className="rounded-lg px-3">
          <Brand />
        </Link>
        {links}
      </header>
      <PhoneHeader>{links}</PhoneHeader>
      <div className="min-w-0 has-data-bleed:flex has-data-bleed:min-h-0 has-data-bleed:flex-1 has-data-bleed:flex-col">
        <PaymentBanner />
        <main
          id="content"
          className="mx-auto w-full max-w-6xl px-4 py-8 has-data-bleed:min-h-0 has-data-bleed:max-w-none has-data-bleed:flex-1 has-data-bleed:p-0! has-data-wide:max-w-[112rem] sm:px-8 lg:py-10"
        >
          <Outlet />
        </main>
      </div>
      {isSearching && <SearchDialog onClose={() => setSearching(false)} />}
    </div>
  );
}

function Links({ onSearch }: { onSearch: () => void }) {
  return (
    <>
      <SearchButton onClick={onSearch} />
      <Navigation />
      <div className="mt-auto border-t border-line pt-3">
        <AccountMenu />
      </div>
    </>
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
      <button
        type="button"
        popoverTarget="menu"
        className="inline-flex min-h-11 items-center gap-2 rounded-lg border border-edge bg-surface px-4 text-sm font-medium"
      >
        <Icon name="menu" />
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
            className="inline-flex min-h-11 items-center gap-2 rounded-lg border border-edge px-4 text-sm font-medium"
          >
            <Icon name="close" />
            Close
          </button>
        </div>
        {children}
      </div>
    </header>
  );
}

/** Moves the focus to the heading after a client-side navigation, which screen readers wouldn't notice otherwise. */
function useFocusOnHeading(): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const last = useRef(path);
  useEffect(() => {
    if (last.current !== undefined && last.current !== path) document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
    last.current = path;
  }, [path]);
}
