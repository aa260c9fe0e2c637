/** Rewrites external URLs in pages to the suite's packages. */

import { crc32 } from "node:zlib";
import { photograph } from "./photographs.ts";

/** Patterns and replacements for a page's HTML. */
export type Edits = [pattern: RegExp | string, replacement: string][];

const packages = /(?:https?:)?\/\/(?:cdn\.jsdelivr\.net\/npm|unpkg\.com)\/((?:@[^/"'@]+\/)?[^/"'@]+)(?:@[^/"']*)?\//g;
const externalImages = /https?:\/\/(?:(?:picsum\.photos|placehold\.it|source\.unsplash\.com)\/[^"'\s)]*|[^"'\s)<>]+\.(?:jpe?g|png|webp))/g;
const elsewhere = `(?:https?:)?//[^"']*`;
const scripts = new RegExp(String.raw`<script[^>]+src=["']${elsewhere}["'][^>]*>\s*</script>`, "g");
const links = new RegExp(`<link[^>]+href=["']${elsewhere}["'][^>]*>`, "g");
const images = new RegExp(`(<img[^>]+src=["'])(${elsewhere})(["'])`, "g");
const frames = new RegExp(`(<iframe[^>]+src=["'])(${elsewhere})(["'])`, "g");

/** Resources that no package contains are removed; external images become photographs. */
export function offline(html: string, edits: Edits = []): string {
  const photographOf = (address: string) => photograph(crc32(address) % 100);
  return edits
    .reduce((text, [pattern, replacement]) => text.replaceAll(global(pattern), replacement), html)
    .replaceAll(/ integrity="[^"]*"/g, "") // the package may have a different version
    .replaceAll(packages, "/npm/$1/")
    .replaceAll(externalImages, photographOf)
    .replaceAll(scripts, "")
    .replaceAll(links, "")
    .replaceAll(images, (_, before, address, after) => `${before}${photographOf(address)}${after}`)
    .replaceAll(frames, (_, before, __, after) => `${before}about:blank${after}`);
}

function global(pattern: RegExp | string): RegExp | string {
  return typeof pattern === "string" || pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`);
}
