/** A page resembling documentation, of roughly the requested height, that reports where its lines of text are. */

const words =
  "The service captures a page as it is when it has loaded and gives each caller an image that can be compared with others because it depends on nothing but the page and its options";

function sentence(seed: number, length: number): string {
  const all = words.split(" ");
  return `${Array.from({ length }, (_, index) => all[(seed * 7 + index * 3) % all.length]).join(" ")}.`;
}

const block = (n: number): string =>
  [
    `<h2>${n}. ${sentence(n, 4)}</h2><p>${sentence(n, 60)}</p><p>${sentence(n + 1, 45)} <code>npm run step-${n}</code> ${sentence(n + 2, 20)}</p>`,
    `<pre>const value${n} = await take({\n  url: "https://example.com/${n}",\n  full_page: true,\n});\nconsole.log(value${n});</pre>`,
    `<ul>${[1, 2, 3, 4].map((item) => `<li>${sentence(n + item, 6 + item * 5)}`).join("")}</ul>`,
    `<table><tr><th>name<th>meaning</tr>${[1, 2, 3].map((row) => `<tr><td>option_${row}<td>${sentence(n + row, 14)}`).join("")}</table>`,
    `<blockquote>${sentence(n + 5, 30)}</blockquote><p><button>Copy ${n}</button> <svg width="40" height="24"><rect width="40" height="24" fill="teal"/></svg></p>`,
  ].join("");

/** @param height height of the page in CSS pixels, in a window 400 px wide; wider pages get as many blocks. */
export function documentationPage(height: number): string {
  return `<!doctype html><meta charset="utf-8"><style>
    body { margin: 0; font: 16px/1.5 sans-serif; color: #222; display: grid; grid-template-columns: 110px 1fr }
    nav { background: #f2f2ee; border-right: 1px solid #ccc; padding: 8px; font-size: 13px } main { padding: 8px 16px; min-width: 0 }
    pre { background: #272822; color: #eee; padding: 12px; overflow: hidden; font: 13px/1.4 monospace } blockquote { border-left: 4px solid #9ac; margin: 1em 0; padding-left: 12px }
    table { border-collapse: collapse } td, th { border: 1px solid #ccc; padding: 6px 10px; text-align: left } h2 { font-size: 24px; line-height: 1.2 }
    </style><nav>${[1, 2, 3, 4, 5, 6].map((n) => `<div>${sentence(n, 3)}</div>`).join("")}</nav><main><h1>Guide</h1></main><script>
    const main = document.querySelector("main"), blocks = ${JSON.stringify([1, 2, 3, 4, 5, 6].map(block))};
    for (let n = 0; document.body.scrollHeight < ${height} - 60 && n < 400; n += 1) {
      main.insertAdjacentHTML("beforeend", blocks[n % blocks.length]);
      while (document.body.scrollHeight > ${height} && main.lastElementChild.matches(":not(h1)")) main.lastElementChild.remove();
      if (document.body.scrollHeight > ${height} - 400) break;
    }
    while (document.body.scrollHeight < ${height} - 60) main.insertAdjacentHTML("beforeend", "<p>" + ${JSON.stringify(sentence(3, 3))} + "</p>");
    const lines = [], range = document.createRange();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode;
      if (!text.nodeValue.trim() || text.parentElement.matches("script, style")) continue;
      range.selectNodeContents(text);
      for (const { top, bottom, width } of range.getClientRects()) if (width > 0) lines.push([top + scrollY, bottom + scrollY, text.nodeValue.slice(0, 20)]);
    }
    document.body.dataset.lines = JSON.stringify(lines);
  </script>`;
}

/** Top and bottom of each line of text in CSS pixels, and the text at its start. @param html the page as serialized by the browser. */
export function linesOf(html: string): [top: number, bottom: number, text: string][] {
  const [, lines = "[]"] = /data-lines="([^"]*)"/.exec(html) ?? [];
  return JSON.parse(lines.replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
}
