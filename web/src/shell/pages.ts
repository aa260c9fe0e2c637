/** The pages in the navigation and in the search, in groups. */

import type { LinkProps } from "@tanstack/react-router";
import type { IconName } from "../ui/icon.tsx";

interface NavigationPage {
  to: NonNullable<LinkProps["to"]>;
  name: string;
  icon: IconName;
}

export interface PageGroup {
  /** Omitted if the group needs none. */
  title?: string;
  pages: NavigationPage[];
}

const groups: PageGroup[] = [
  { pages: [{ to: "/", name: "Overview", icon: "overview" }] },
  {
    title: "Capture",
    pages: [
      { to: "/playground", name: "Playground", icon: "playground" },
      { to: "/screenshots", name: "Screenshots", icon: "screenshots" },
      { to: "/batches", name: "Batches", icon: "batches" },
      { to: "/watches", name: "Watches", icon: "watches" },
      { to: "/sessions", name: "Sessions", icon: "session" },
    ],
  },
  {
    title: "API",
    pages: [
      { to: "/keys", name: "API keys", icon: "keys" },
      { to: "/webhooks", name: "Webhooks", icon: "webhooks" },
      { to: "/destinations", name: "Destinations", icon: "destination" },
      { to: "/reference", name: "API reference", icon: "reference" },
    ],
  },
  {
    title: "Account",
    pages: [
      { to: "/plan", name: "Plan", icon: "plan" },
      { to: "/settings", name: "Settings", icon: "settings" },
    ],
  },
];

const service: PageGroup = { title: "Service", pages: [{ to: "/admin", name: "Administration", icon: "admin" }] };

export function pageGroups(role: "user" | "admin"): PageGroup[] {
  return role === "admin" ? [...groups, service] : groups;
}
