/** Pages, each before and after one change, with the regions that a person would list. */

export interface ChangedPage {
  title: string;
  before: string;
  after: string;
  /** Kind and name of each region, in order. */
  regions: [kind: string, name: string][];
  /** Selector of the first region. */
  selector?: string;
  parameters?: Record<string, unknown>;
}

const style = `<style>body{margin:0;font:16px/24px sans-serif;color:#222}header{background:#123;color:#fff;padding:16px 24px;display:flex;gap:24px}header a{color:#fff}
  main{padding:24px;max-width:760px;margin:auto}.cards{display:grid;grid-template-columns:repeat(3,1fr);gap:16px}.card{border:1px solid #ccc;border-radius:8px;padding:16px}
  table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #ddd;padding:8px;text-align:left}.banner{background:#fd6;padding:16px;margin:16px 0}footer{background:#eee;padding:24px}
  .badge{background:#c00;color:#fff;border-radius:8px;padding:2px 8px}button{padding:8px 16px;background:#06c;color:#fff;border:0;border-radius:4px}</style>`;

const words = "The shop on the corner sells bread, cheese and flowers from the gardens behind the old mill every day but Monday".split(" ");
const sentence = (seed: number, length = 14) =>
  `${Array.from({ length }, (_, at) => words[(at * 7 + seed * 5 + ((seed * at) % 3)) % words.length]).join(" ")} ${seed}.`;
const paragraphs = (from: number, count: number) => Array.from({ length: count }, (_, at) => `<p>${sentence(from + at, 20)}</p>`).join("");
const row = (name: string, price: string) => `<tr><td>${name}</td><td>${price}</td><td>In stock</td></tr>`;
const card = (title: string, text: string, price: string) =>
  `<div class="card"><h3>${title}</h3><p>${text}</p><p class="price">${price}</p><button>Buy</button></div>`;
const logo = (colour: string, alt = "Logo") =>
  `<img alt="${alt}" width="120" height="60" src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='120' height='60'%3E%3Ccircle cx='30' cy='30' r='24' fill='${colour}'/%3E%3Cpath d='M70 10h40v40z' fill='navy'/%3E%3C/svg%3E">`;

const cards = [card("Basic", sentence(1), "9 €"), card("Pro", sentence(2), "19 €"), card("Team", sentence(3), "49 €")];
const rows = ["Apples", "Bread", "Cheese", "Dill", "Eggs", "Figs"].map((name, at) => row(name, `${at + 2}.50 €`));
const head = `<tr><th>Product</th><th>Price</th><th>State</th></tr>`;
const banner = `<div class="banner"><strong>Summer sale</strong></div>`;

interface Parts {
  head?: string;
  banner?: string;
  cards?: string[];
  rows?: string[];
  text?: string;
  end?: string;
  styles?: string;
  attributes?: string;
}

function shop(parts: Parts = {}): string {
  const { attributes = "", styles = "", rows: lines = rows, cards: offers = cards } = parts;
  return `<!doctype html><html ${attributes}><meta charset="utf-8"><title>Shop</title>${style}<style>${styles}</style>
    <header>${parts.head ?? `${logo("orange")}<a href="/a">Products</a><a href="/b">Prices</a><a href="/c">About us</a>`}</header>
    <main><h1>Our shop</h1>${parts.banner ?? banner}<section class="cards">${offers.join("")}</section>
    <h2>Price list</h2><table>${head}${lines.join("")}</table>
    <h2>About</h2>${parts.text ?? paragraphs(10, 4)}</main>${parts.end ?? ""}<footer><p>Open from nine to five</p></footer></html>`;
}

const chart = (heights: number[]) =>
  `<canvas id="chart" width="400" height="200"></canvas><script>const c=document.getElementById("chart").getContext("2d");${JSON.stringify(heights)}.forEach((h,i)=>{c.fillStyle=["#06c","#c60","#390","#936"][i%4];c.fillRect(20+i*60,200-h,40,h)})</script>`;

const shopPair = (
  title: string,
  before: Parts,
  after: Parts,
  regions: [string, string][],
  more: Partial<ChangedPage> = {},
): ChangedPage => ({
  title,
  before: shop(before),
  after: shop(after),
  regions,
  ...more,
});

const photograph = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="200" height="150"><filter id="f"><feTurbulence baseFrequency="0.2" numOctaves="2"/></filter><rect width="200" height="150" filter="url(#f)"/></svg>`)}`;
const person = (name: string) =>
  `<div style="width:231px;text-align:center"><img alt="Portrait" src="${photograph}" style="width:171px"><h3>${name}</h3><p>${name} sells</p></div>`;
const team = (...names: string[]) => ({
  text: `<div class="team" style="display:flex;justify-content:center">${names.map(person).join("")}</div>`,
});

const tall = (colour: string) =>
  `<!doctype html><meta charset="utf-8"><style>html{height:100%}body{margin:0}</style><section style="height:1050px;background:${colour}"><h2>News</h2><p>None</p></section>`;

const long = (rowsBefore: string) =>
  `<!doctype html><meta charset="utf-8">${style}<main><h1>Log</h1><ul>${rowsBefore}${Array.from({ length: 120 }, (_, at) => `<li>${sentence(at, 8)}</li>`).join("")}</ul></main>`;

/**
 * The texts in a sidebar are drawn `down` pixels lower, as may happen to text at a fraction of a pixel, although the boxes of their
 * links stay.
 */
function beside(down: number, entry: string): string {
  const links = ["Mailbox", "Forms", "Tables", "Pages", "Sign in"]
    .map((name) => `<a href="/${name}"><span style="position:relative;top:${down}px">${name}</span><b>›</b></a>`)
    .join("");
  return `<!doctype html><meta charset="utf-8"><style>body{margin:0;padding-left:270px}nav{position:absolute;left:0;top:0;width:250px;height:600px;background:#343a40}
    a{display:block;position:relative;height:40px;margin:4px 8px;padding:9px;box-sizing:border-box;color:#c2c7d0;text-decoration:none}b{position:absolute;right:20px}</style>
    <nav>${links}</nav>${entry}${paragraphs(20, 6)}`;
}

export const changedPages: ChangedPage[] = [
  shopPair(
    "a price on a card",
    {},
    { cards: [cards[0] ?? "", card("Pro", sentence(2), "21 €"), cards[2] ?? ""] },
    [["changed", "Pro: 19 € → 21 €"]],
    {
      selector: ".cards > .card:nth-child(2) > .price",
    },
  ),
  shopPair("a price in a table", {}, { rows: rows.with(2, row("Cheese", "5.00 €")) }, [["changed", "Cheese, Price: 4.50 € → 5.00 €"]]),
  shopPair("a removed paragraph", { text: paragraphs(10, 4) }, { text: paragraphs(10, 1) + paragraphs(12, 2) }, [
    ["removed", `Paragraph “${sentence(11, 20).slice(0, 59).trimEnd()}…” removed`],
  ]),
  shopPair("a banner that moved to the end", {}, { banner: "", end: `<div style="padding:0 24px">${banner}</div>` }, [
    ["moved", "Banner “Summer sale” moved"],
  ]),
  shopPair("a banner pushed down with what follows", {}, { styles: ".banner{margin-top:56px}" }, [
    ["moved", "Banner “Summer sale” and what follows moved down by 34 px"],
  ]),
  shopPair("the color of buttons", {}, { styles: ".card:nth-child(2) button{background:#c03}" }, [
    ["changed", "Button “Buy” looks different"],
  ]),
  shopPair("a replaced image", {}, { head: `${logo("green")}<a href="/a">Products</a><a href="/b">Prices</a><a href="/c">About us</a>` }, [
    ["changed", "Image “Logo” changed"],
  ]),
  {
    title: "a row at the top of a long page",
    before: long(""),
    after: long(`<li>A new entry that was not there</li>`),
    regions: [["added", "List item “A new entry that was not there” added"]],
    parameters: { full_page: true },
  },
  shopPair(
    "a longer text that wraps",
    { text: `<p>${sentence(5)}</p>${paragraphs(10, 3)}` },
    { text: `<p>${sentence(5)} ${sentence(6)}</p>${paragraphs(10, 3)}` },
    [["changed", "→"]],
  ),
  shopPair(
    "the text of a link",
    {},
    { head: `${logo("orange")}<a href="/a">Products</a><a href="/b">Offers</a><a href="/c">About us</a>` },
    [["changed", "“Prices” → “Offers”"]],
  ),
  shopPair("a removed table row", {}, { rows: rows.toSpliced(3, 1) }, [["removed", "Table row “Dill, 5.50 €, In stock” removed"]]),
  shopPair(
    "a reordered list",
    { text: "<ul><li>North<li>East<li>South<li>West</ul>" },
    { text: "<ul><li>West<li>North<li>East<li>South</ul>" },
    [["moved", "List item “West” moved up by 72 px"]],
  ),
  shopPair("a chart", { text: chart([40, 80, 120, 90]) }, { text: chart([40, 80, 180, 90]) }, [["changed", "Chart changed"]], {
    selector: "#chart",
  }),
  shopPair("another font weight", {}, { styles: "h1{font-weight:400}" }, [["changed", "Heading “Our shop” looks different"]]),
  shopPair(
    "an added badge",
    {},
    { cards: cards.with(1, (cards[1] ?? "").replace("<h3>", `<div><span class="badge">New</span></div><h3>`)) },
    [["added", "Badge “New” added"]],
  ),
  shopPair(
    "a fixed header",
    { styles: "header{position:fixed;top:0;left:0;right:0}main{padding-top:120px}" },
    {
      styles: "header{position:fixed;top:0;left:0;right:0}main{padding-top:120px}",
      head: `${logo("orange")}<a href="/a">Products</a><a href="/b">Prices</a><a href="/c">About our shop</a>`,
    },
    [["changed", "“About us” → “About our shop”"]],
    { parameters: { full_page: true } },
  ),
  shopPair("a longer page", {}, { end: `<main><h2>News</h2>${paragraphs(30, 6)}</main>` }, [["added", "Section “News” added"]]),
  shopPair("a shorter page", { end: `<main><h2>News</h2>${paragraphs(30, 6)}</main>` }, {}, [["removed", "Section “News” removed"]]),
  shopPair(
    "a right-to-left page",
    { attributes: `dir="rtl" lang="he"`, text: "<p>שלום עולם</p>" },
    { attributes: `dir="rtl" lang="he"`, text: "<p>שלום לכם</p>" },
    [["changed", "“שלום עולם” → “שלום לכם”"]],
  ),
  shopPair("Japanese text", { text: "<dl><dt>価格</dt><dd>千円</dd></dl>" }, { text: "<dl><dt>価格</dt><dd>二千円</dd></dl>" }, [
    ["changed", "価格: 千円 → 二千円"],
  ]),
  shopPair("a scale of two", {}, { rows: rows.with(0, row("Apples", "2.75 €")) }, [["changed", "Apples, Price: 2.50 € → 2.75 €"]], {
    parameters: { device_scale_factor: 2 },
  }),
  shopPair("a JPEG", {}, { rows: rows.toSpliced(1, 1) }, [["removed", "Table row “Bread, 3.50 €, In stock” removed"]], {
    parameters: { format: "jpeg", quality: 60 },
  }),
  shopPair("the background of a card", {}, { styles: ".card:nth-child(3){background:#efe}" }, [["changed", "Card “Team” changed"]]),
  shopPair("a price after a label", { text: "<p>Price: 19 €</p>" }, { text: "<p>Price: 21 €</p>" }, [["changed", "Price: 19 € → 21 €"]]),
  shopPair(
    "an icon without text",
    { text: `<p>Open</p><i id="dot" style="display:block;width:12px;height:12px;background:#0a0"></i>` },
    {
      text: `<p>Open</p><i id="dot" style="display:block;width:12px;height:12px;background:#a00"></i>`,
    },
    [["changed", "Area near “Open” changed"]],
  ),
  shopPair("one of several people with identical pictures, in the middle of a row", team("Ann", "Ben", "Cleo"), team("Ben", "Cleo"), [
    ["removed", "Section “Ann” removed"],
  ]),
  shopPair(
    "a picture above others, which move by fractions of a pixel",
    { banner: `<img id="top" alt="Shop" src="${photograph}" style="width:333px;display:block">`, ...team("Ann", "Ben") },
    { banner: `<img id="top" alt="Shop" src="${photograph}" style="width:310px;display:block">`, ...team("Ann", "Ben") },
    [["changed", "Image “Shop” changed"]],
    { parameters: { full_page: true } },
  ),
  {
    title: "the background of a section that is taller than the root",
    before: tall("#dfe"),
    after: tall("#fde"),
    regions: [["changed", "Section “News” changed"]],
  },
  shopPair(
    "a picture that fills a link",
    { end: `<a href="/x" style="display:block;width:200px"><img alt="Offer" style="display:block" src="${photograph}"></a>` },
    {
      end: `<a href="/x" style="display:block;width:200px"><img alt="Offer" style="display:block" src="${photograph.replace("0.2", "0.1")}"></a>`,
    },
    [["changed", "Image “Offer”"]],
  ),
  {
    title: "a paragraph next to a sidebar whose texts are drawn one pixel lower",
    before: beside(0, ""),
    after: beside(1, "<p>Maintenance on Sunday</p>"),
    regions: [["added", "Paragraph “Maintenance on Sunday” added"]],
  },
  shopPair("two colors far from each other", {}, { styles: "h1{color:#c00}footer p{color:#00c}" }, [
    ["changed", "Paragraph “Open from nine to five” looks different"],
    ["changed", "Heading “Our shop” looks different"],
  ]),
];

export const unchangedPages: { title: string; page: string; parameters?: Record<string, unknown> }[] = [
  { title: "a shop", page: shop() },
  { title: "a long list", page: long(""), parameters: { full_page: true } },
  { title: "a chart", page: shop({ text: chart([20, 60, 100]) }) },
];
