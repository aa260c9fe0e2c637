/** Pages written for the benchmark: each has one feature that captures often get wrong. */

import { largePhotograph, photograph } from "./photographs.ts";

const head = (title: string, style: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width">
<style>
  body { margin: 0; font: 17px/1.5 sans-serif; color: #222; background: #fff }
  h1, h2 { line-height: 1.2 }
  ${style}
</style></head>`;

const words =
  "A picture of a page is worth what it shows: text in its own letters, images that have arrived, and nothing that was still on its way.";

function times(count: number, make: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => make(index)).join("\n");
}

export function simplePage(): string {
  return `${head("Simple", "body { max-width: 40em; margin: 4em auto; padding: 0 2em }")}<body><h1>A simple page</h1><p>${words}</p></body></html>`;
}

/** The upper two thirds use native lazy loading, the lower third an IntersectionObserver. */
export function galleryPage(): string {
  const style = `main { display: grid; grid-template-columns: repeat(3, 1fr); gap: 12px; padding: 12px }
  figure { margin: 0; background: #ddd } img { display: block; width: 100%; height: 280px; object-fit: cover } h1 { padding: 0 12px }`;
  return `${head("Gallery", style)}<body><h1>Seventy-two photographs</h1><main>
${times(48, (index) => `<figure><img loading="lazy" width="400" height="280" alt="" src="${photograph(index)}"></figure>`)}
${times(24, (index) => `<figure><img class="seen" width="400" height="280" alt="" data-src="${photograph(48 + index)}"></figure>`)}
</main><script>
const observer = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) if (isIntersecting) { target.src = target.dataset.src; observer.unobserve(target); }
});
for (const image of document.querySelectorAll("img.seen")) observer.observe(image);
</script></body></html>`;
}

export function photosPage(): string {
  const style =
    "main { columns: 2; column-gap: 16px; padding: 16px } img { display: block; width: 100%; margin-bottom: 16px; border-radius: 8px } h1 { padding: 0 16px }";
  return `${head("Photographs", style)}<body><h1>Thirty large photographs</h1><main>
${times(30, (index) => `<img alt="" src="${largePhotograph(index)}">`)}
</main></body></html>`;
}

export function stickyPage(): string {
  const style = `header { position: sticky; top: 0; z-index: 1; background: #123; color: #fff; padding: 16px 32px }
  .hero { height: 100vh; background: #f4efe6 url("${largePhotograph(3)}") center/cover; display: grid; place-items: center; color: #fff }
  .columns { display: grid; grid-template-columns: 260px 1fr; gap: 32px; padding: 32px }
  nav { position: sticky; top: 88px; align-self: start; background: #eef; padding: 16px }
  section { min-height: 420px; border-bottom: 1px solid #ccc } footer { position: fixed; bottom: 16px; right: 16px; background: #c33; color: #fff; padding: 12px 20px }`;
  const section = (index: number) => `<section><h2>Section ${index + 1}</h2>${times(3, () => `<p>${words}</p>`)}</section>`;
  return `${head("Sticky", style)}<body><header>A header that stays</header><div class="hero"><h1>As high as the window</h1></div>
<div class="columns"><nav>A column that stays</nav><main>${times(10, section)}</main></div><footer>A button that stays</footer></body></html>`;
}
