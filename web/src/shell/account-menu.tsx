/** Account menu: who is signed in, the theme, the settings and sign-out. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { accountQuery } from "../api/queries.ts";
import { Icon } from "../ui/icon.tsx";
import { Menu, menuItem } from "../ui/menu.tsx";
import { SignOut } from "./sign-out.tsx";
import { ThemeSwitch } from "./theme-switch.tsx";

export function AccountMenu() {
  const { user } = useSuspenseQuery(accountQuery).data;
  return (
    <Menu
      className="flex w-full items-center gap-3 rounded-lg px-3 py-2 text-left text-sm hover:bg-line/40"
      panel={
        <>
          <div className="px-3 py-2">
            <ThemeSwitch />
          </div>
          <Link to="/settings" className={menuItem}>
            <Icon name="settings" />
            Account settings
          </Link>
          <SignOut className={menuItem} />
        </>
      }
    >
      <span aria-hidden="true" className="grid size-8 shrink-0 place-items-center rounded-full bg-accent-soft font-semibold text-accent">
        {[...user.name][0]?.toUpperCase()}
      </span>
      <span className="min-w-0 flex-1">
        <span className="sr-only">Account of </span>
        <span className="block truncate font-medium">{user.name}</span>
        <span className="block truncate text-muted">{user.email}</span>
      </span>
      <Icon name="choose" className="size-4 text-muted" />
    </Menu>
  );
}
