/** Ordinary pages from packages, as they are watched. */

import type { FidelityCase } from "../case.ts";

function page(name: string, at: string): FidelityCase {
  return {
    name,
    about: "",
    at,
    edits: [
      [/https:\/\/use\.fontawesome\.com\/releases\/[^/]+\/js\/all\.js/, "/npm/@fortawesome/fontawesome-free/js/all.js"],
      [/https:\/\/cdnjs\.cloudflare\.com\/ajax\/libs\/Chart\.js\/[^"]+/, "/npm/startbootstrap-sb-admin-2/vendor/chart.js/Chart.min.js"],
      ["dist/style.min.css", "dist/style.css"],
      ["umd/simple-datatables.min.js", "umd/simple-datatables.js"],
      [
        '<script src="js/test.js"></script>',
        '<link rel="stylesheet" href="/npm/uikit/dist/css/uikit.css"><script src="/npm/uikit/dist/js/uikit.js"></script><script src="/npm/uikit/dist/js/uikit-icons.js"></script>',
      ],
      [/https:\/\/dummyimage\.com\/\d+x\d+\/\w+\/\w+(?!\.)/, "$&.jpg"],
    ],
  };
}

const startBootstrap = (theme: string, file = "index") => page(`${theme}-${file}`, `/npm/startbootstrap-${theme}/dist/${file}.html`);
const adminLte = (file: string) => page(`lte-${file.replace("/", "-")}`, `/npm/admin-lte/dist/${file}.html`);
const softUi = (file: string) => page(`soft-${file}`, `/npm/soft-ui-dashboard/pages/${file}.html`);
const uikit = (file: string) => page(`uikit-${file}`, `/npm/uikit/tests/${file}.html`);

const pages = [
  ...["index", "about", "contact", "pricing", "faq", "portfolio-overview", "portfolio-item", "blog-home", "blog-post"].map((file) =>
    startBootstrap("modern-business", file),
  ),
  ...["shop-homepage", "shop-item", "business-frontpage", "blog-home", "blog-post", "small-business", "heroic-features"].map((theme) =>
    startBootstrap(theme),
  ),
  ...["agency", "creative", "freelancer", "grayscale", "landing-page", "resume", "clean-blog"].map((theme) => startBootstrap(theme)),
  ...["index", "tables", "charts", "login"].map((file) => startBootstrap("sb-admin", file)),
  ...["index", "tables", "charts", "cards"].map((file) => page(`sb-admin-2-${file}`, `/npm/startbootstrap-sb-admin-2/${file}.html`)),
  ...[
    "index",
    "pages/invoice",
    "pages/projects",
    "pages/pricing",
    "pages/profile",
    "pages/faq",
    "pages/kanban",
    "pages/chat",
    "UI/timeline",
    "tables/simple",
    "widgets/small-box",
    "mailbox/inbox",
    "layout/layout-rtl",
  ].map(adminLte),
  ...["billing", "tables", "profile", "dashboard", "rtl"].map(softUi),
  ...["article", "table", "countdown", "slideshow", "slider", "grid-masonry", "card", "comment"].map(uikit),
  page("blog-landscape", "/sites/hexo-landscape/index.html"),
  page("docs-guide", "/sites/vitepress/Recommendations.html"),
];

/** @throws {Error} if there is no such page. */
export function pageNamed(name: string): FidelityCase {
  const found = pages.find((one) => one.name === name);
  if (!found) throw new Error(`There is no page ${name}. The pages are ${pages.map((one) => one.name).join(", ")}.`);
  return found;
}

const playing = ["uikit-countdown", "uikit-slideshow", "uikit-slider"];

/** Half of the pages that stay the same. */
export const ordinaryPages = pages.filter(({ name }) => !playing.includes(name)).filter((_, index) => index % 13 < 7);
