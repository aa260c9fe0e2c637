/** The captured pages: description and HTML. */

import { readFileSync } from "node:fs";
import { articlePage, docsifyPage, longPage } from "./documentation.ts";
import { galleryPage, photosPage, simplePage, stickyPage } from "./own-pages.ts";
import { packageFile } from "./packages.ts";

export interface BenchPage {
  name: string;
  /** Used in tables and the document. */
  about: string;
  /** Whether its speed is measured as well. All pages are compared with their reference. */
  timed: boolean;
  /** Its HTML, with URLs that the site serves. */
  html(): string;
}

/** External URLs of a package's page, and packages with the same files. Files that npm lacks are removed. */
type Replacements = [pattern: RegExp, replacement: string][];

const fonts = (...faces: string[]) => `<link rel="stylesheet" href="/fonts.css?faces=${faces.join(",")}">`;
const googleFonts = /<link[^>]+fonts\.googleapis\.com[^>]+>/;
const bootstrap: Replacements = [[/https:\/\/cdn\.jsdelivr\.net\/npm\/bootstrap@[^/]+\//, "/npm/bootstrap/"]];
const fontAwesome: Replacements = [
  [/https:\/\/use\.fontawesome\.com\/releases\/[^/]+\/js\/all\.js/, "/npm/@fortawesome/fontawesome-free/js/all.js"],
];
const bootstrapIcons: Replacements = [
  [/https:\/\/cdn\.jsdelivr\.net\/npm\/bootstrap-icons@[^/]+\/font\/bootstrap-icons\.css/, "/npm/bootstrap-icons/font/bootstrap-icons.css"],
];
/** Removes the script of a form, because it exists only on its original host. */
const withoutForms: Replacements = [[/<script[^>]+sb-forms-latest\.js[^>]*><\/script>/, ""]];

function packagePage(packageName: string, file: string, replacements: Replacements): () => string {
  return () => {
    const base = `<base href="/npm/${packageName}/${file.slice(0, file.lastIndexOf("/") + 1)}">`;
    const original = readFileSync(packageFile(packageName, file), "utf8");
    const html = replacements.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), original);
    return html.replace(/<head>/i, (head) => `${head}${base}`);
  };
}

export const pages: BenchPage[] = [
  { name: "simple", about: "a heading and a paragraph, one request", timed: true, html: simplePage },
  {
    name: "blog",
    about: "startbootstrap-clean-blog: a large photograph, two families of web fonts, icons as SVG by script",
    timed: true,
    html: packagePage("startbootstrap-clean-blog", "dist/index.html", [
      [googleFonts, fonts("lora/400", "lora/700", "lora/400-italic", "lora/700-italic")],
      [googleFonts, fonts("open-sans/300", "open-sans/400", "open-sans/600", "open-sans/700", "open-sans/800")],
      ...bootstrap,
      ...fontAwesome,
    ]),
  },
  {
    name: "agency",
    about: "startbootstrap-agency: sections, web fonts, two dozen images",
    timed: true,
    html: packagePage("startbootstrap-agency", "dist/index.html", [
      [googleFonts, fonts("montserrat/400", "montserrat/700")],
      [googleFonts, fonts("roboto-slab/100", "roboto-slab/300", "roboto-slab/400", "roboto-slab/700")],
      ...bootstrap,
      ...fontAwesome,
      ...withoutForms,
    ]),
  },
  {
    name: "creative",
    about: "startbootstrap-creative: a full-height photograph, a grid of images, an icon font",
    timed: false,
    html: packagePage("startbootstrap-creative", "dist/index.html", [
      [googleFonts, fonts("merriweather-sans/400", "merriweather-sans/700")],
      [googleFonts, fonts("merriweather/300", "merriweather/400", "merriweather/700", "merriweather/400-italic")],
      ...bootstrap,
      ...bootstrapIcons,
      [/https:\/\/cdnjs\.cloudflare\.com\/ajax\/libs\/SimpleLightbox\/[^"]+\.css/, "/npm/simplelightbox/dist/simple-lightbox.css"],
      [/https:\/\/cdnjs\.cloudflare\.com\/ajax\/libs\/SimpleLightbox\/[^"]+\.js/, "/npm/simplelightbox/dist/simple-lightbox.js"],
      ...withoutForms,
    ]),
  },
  {
    name: "material",
    about: "material-kit: a long page of components, half a megabyte of style and script, photographs",
    timed: true,
    html: packagePage("material-kit", "index.html", [
      [
        googleFonts,
        `${fonts("roboto/300", "roboto/400", "roboto/500", "roboto/700", "roboto-slab/400", "roboto-slab/700")}<link rel="stylesheet" href="/npm/material-icons/iconfont/filled.css">`,
      ],
      [
        /https:\/\/maxcdn\.bootstrapcdn\.com\/font-awesome\/latest\/css\/font-awesome\.min\.css/,
        "/npm/font-awesome/css/font-awesome.min.css",
      ],
      [/<script[^>]+buttons\.github\.io[^>]*><\/script>/, ""],
      [/<script[^>]+maps\.googleapis\.com[^>]*><\/script>/, ""],
    ]),
  },
  {
    name: "admin",
    about: "startbootstrap-sb-admin-2: a dashboard whose charts are drawn on canvas by script",
    timed: true,
    html: packagePage("startbootstrap-sb-admin-2", "index.html", [
      [googleFonts, fonts("nunito/300", "nunito/400", "nunito/600", "nunito/700", "nunito/800", "nunito/900")],
      [/https:\/\/source\.unsplash\.com\/[^"]+/, "img/undraw_profile_1.svg"],
    ]),
  },
  { name: "docs", about: "a page of Fastify's documentation, made on the server: text, code, web fonts", timed: true, html: articlePage },
  { name: "docsify", about: "the same documentation, fetched and made in the browser by docsify", timed: true, html: docsifyPage },
  { name: "gallery", about: "48 images with loading=lazy and 24 that wait for an IntersectionObserver", timed: true, html: galleryPage },
  { name: "photos", about: "30 large photographs, loaded at once", timed: false, html: photosPage },
  {
    name: "sticky",
    about: "a sticky header and a sticky column over ten sections, one as high as the window",
    timed: false,
    html: stickyPage,
  },
  { name: "long", about: "three chapters of that documentation, about 21,000 pixels high", timed: false, html: longPage },
];
