/** Pages of themes and UI kits. */

import type { FidelityCase } from "../case.ts";

/** A page of a Start Bootstrap theme, with its external resources. */
function startBootstrap(theme: string): Pick<FidelityCase, "at" | "edits"> {
  return {
    at: `/npm/startbootstrap-${theme}/dist/index.html`,
    edits: [
      [/https:\/\/use\.fontawesome\.com\/releases\/[^/]+\/js\/all\.js/, "/npm/@fortawesome/fontawesome-free/js/all.js"],
      [/https:\/\/cdnjs\.cloudflare\.com\/ajax\/libs\/Chart\.js\/[^"]+/, "/npm/startbootstrap-sb-admin-2/vendor/chart.js/Chart.min.js"],
      ["dist/style.min.css", "dist/style.css"],
      ["umd/simple-datatables.min.js", "umd/simple-datatables.js"],
    ],
  };
}

export const themeCases: FidelityCase[] = [
  { name: "agency", about: "sections, photographs, a navigation that shrinks on scroll", ...startBootstrap("agency") },
  { name: "creative", about: "a full-height photograph behind a transparent navigation", ...startBootstrap("creative") },
  { name: "freelancer", about: "a portfolio with modals", ...startBootstrap("freelancer") },
  { name: "grayscale", held: true, about: "full-height sections over photographs", ...startBootstrap("grayscale") },
  { name: "landing-page", held: true, about: "a landing page with background photographs", ...startBootstrap("landing-page") },
  { name: "new-age", held: true, about: "an application's page with a video that plays", ...startBootstrap("new-age"), ignored: "video" },
  { name: "resume", about: "a side navigation that stays", ...startBootstrap("resume") },
  {
    name: "stylish-portfolio",
    held: true,
    about: "a menu and a back-to-top button that come with the scroll",
    ...startBootstrap("stylish-portfolio"),
  },
  { name: "sb-admin", about: "a dashboard with a fixed side bar and charts", ...startBootstrap("sb-admin") },
  {
    name: "sb-admin-2",
    held: true,
    about: "a dashboard with charts of Chart.js 2 and a back-to-top button",
    at: "/npm/startbootstrap-sb-admin-2/index.html",
  },
  { name: "admin-lte", about: "a dashboard with charts, a map and a fixed layout", at: "/npm/admin-lte/dist/index.html" },
  { name: "admin-lte-timeline", held: true, about: "a long page of the same kit", at: "/npm/admin-lte/dist/UI/timeline.html" },
  { name: "material-kit", about: "a long page of components with a parallax header", at: "/npm/material-kit/index.html" },
];
