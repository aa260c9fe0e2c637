/** Changes made to ordinary pages, each with the name that must be reported. */

export interface SeededChange {
  page: string;
  about: string;
  /** What it replaces in the page's HTML. It must match exactly once, unless `nth` says which match, counting from 1. */
  from: RegExp;
  to: string;
  nth?: number;
  /** Matches the name or a text of one of the first three regions, regardless of case, because style sheets change it. */
  named: RegExp;
  /** Maximum number of regions that are not mere moves; more would mean that shifted content counts as changed. Default: 3. */
  regionsMax?: number;
}

export const changes: SeededChange[] = [
  // Prices and other numbers
  { page: "modern-business-pricing", about: "a price", from: /\$9(?=<)/, to: "$12", named: /\$9.*\$12/ },
  {
    page: "shop-item-index",
    about: "a price next to one that is crossed out",
    from: /<span>\$40\.00/,
    to: "<span>$38.50",
    named: /\$40\.00.*\$38\.50/,
  },
  {
    page: "shop-homepage-index",
    about: "a price in one of eight equal cards",
    from: /\$18\.00/,
    to: "$16.00",
    nth: 2,
    named: /\$18\.00.*\$16\.00/,
  },
  { page: "lte-pages-invoice", about: "an amount in a table", from: /\$37\.50/, to: "$87.50", named: /\$37\.50.*\$87\.50/ },
  { page: "lte-pages-pricing", about: "a price of a plan in the middle", from: /\$29(?=<)/, to: "$39", nth: 1, named: /\$29.*\$39/ },
  { page: "sb-admin-2-index", about: "a figure on a tile", from: /\$215,000/, to: "$216,000", named: /\$215,000.*\$216,000/ },
  { page: "lte-widgets-small-box", about: "a single digit", from: /<h3>150<\/h3>/, to: "<h3>151</h3>", nth: 1, named: /150.*151/ },
  { page: "soft-billing", about: "an amount in a list", from: /\$560/, to: "$650", named: /\$560.*\$650/ },
  { page: "lte-pages-profile", about: "a count of followers", from: /1,322/, to: "1,323", named: /1,322.*1,323/ },
  // Text
  {
    page: "blog-post-index",
    about: "a removed paragraph",
    from: /<p class="fs-5 mb-4">The universe is large[\s\S]*?<\/p>/,
    to: "",
    named: /universe is large[\s\S]*removed|removed[\s\S]*universe is large/i,
  },
  {
    page: "modern-business-about",
    about: "a removed member of a team",
    from: /<div class="col mb-5 mb-5 mb-xl-0">[\s\S]*?Ibbie Eckart[\s\S]*?<\/div>\s*<\/div>\s*<\/div>/,
    to: "",
    named: /Ibbie Eckart/,
    regionsMax: 6,
  },
  {
    page: "modern-business-faq",
    about: "another heading",
    from: /Website Issues/,
    to: "Shipping Issues",
    named: /Website Issues.*Shipping Issues/,
  },
  {
    page: "resume-index",
    about: "an added job at the top of a list",
    from: /<div class="d-flex flex-column flex-md-row justify-content-between mb-5">/,
    nth: 1,
    to: '<div class="d-flex flex-column flex-md-row justify-content-between mb-5"><div class="flex-grow-1"><h3 class="mb-0">Principal Engineer</h3><div class="subheading mb-3">Northwind</div><p>Leads the platform.</p></div><div class="flex-shrink-0"><span class="text-primary">2024 - Present</span></div></div>$&',
    named: /Principal Engineer/,
    regionsMax: 4,
  },
  {
    page: "clean-blog-index",
    about: "another date",
    from: /September 18, 2023/,
    to: "September 19, 2023",
    named: /September 18, 2023.*September 19, 2023/,
  },
  {
    page: "business-frontpage-index",
    about: "a sentence that grows and pushes the page down",
    from: /<p class="lead mb-0">With our no hassle pricing plans<\/p>/,
    to: '<p class="lead mb-0">With our no hassle pricing plans.<br>New: yearly billing saves two months, and every plan has a free trial of thirty days.</p>',
    named: /yearly billing/,
  },
  { page: "uikit-article", about: "an author", from: /Super User/, to: "Jane Roe", nth: 1, named: /Super User.*Jane Roe/ },
  {
    page: "lte-UI-timeline",
    about: "an entry at the top of a timeline",
    from: /<div class="time-label">/,
    nth: 1,
    to: '<div class="time-label"><span class="text-bg-danger">11 Feb. 2023</span></div><div><i class="timeline-icon bi bi-envelope text-bg-primary"></i><div class="timeline-item"><h3 class="timeline-header">Maintenance on Sunday</h3><div class="timeline-body">The service stops for an hour.</div></div></div>$&',
    named: /Maintenance on Sunday|service stops for an hour|11 Feb/,
    regionsMax: 4,
  },
  { page: "soft-rtl", about: "a word of an Arabic page", from: /عملاء جدد/, to: "عملاء قدامى", named: /عملاء جدد.*عملاء قدامى/ },
  {
    page: "blog-landscape",
    about: "a title of a post",
    from: />Recommendations<\/a>/,
    nth: 1,
    to: ">Advice</a>",
    named: /Recommendations.*Advice/,
  },
  {
    page: "modern-business-contact",
    about: "a telephone number within a sentence",
    from: /\(555\) 892-9403/,
    to: "(555) 892-9404",
    named: /892-9403[\s\S]*892-9404/,
  },
  // Tables and lists
  {
    page: "soft-tables",
    about: "a removed row of a table",
    from: /<tr>(?:(?!<tr>)[\s\S])*?Laurent Perrier[\s\S]*?<\/tr>/,
    to: "",
    named: /Laurent Perrier|laurent@/,
    regionsMax: 6,
  },
  {
    page: "soft-tables",
    about: "a state",
    from: /<span class="badge badge-sm bg-gradient-secondary">Offline<\/span>/,
    nth: 1,
    to: '<span class="badge badge-sm bg-gradient-success">Online</span>',
    named: /Offline.*Online/,
  },
  { page: "uikit-table", about: "a cell", from: /<td>Active Row<\/td>/, nth: 2, to: "<td>Sold out</td>", named: /Active Row.*Sold out/ },
  {
    page: "lte-pages-projects",
    about: "a progress bar and its percentage",
    from: /style="width: 78%"[\s\S]*?78%\s*<\/small/,
    nth: 1,
    to: 'style="width: 91%"></div></div><small class="text-secondary" style="min-width: 2.25rem"> 91% </small',
    named: /78%.*91%/,
  },
  {
    page: "lte-tables-simple",
    about: "an added row",
    from: /<tbody>\s*<tr/,
    nth: 1,
    to: '<tbody><tr class="align-middle"><td>0.</td><td>Renew certificates</td><td>now</td><td>99%</td></tr><tr',
    named: /Renew certificates/,
    regionsMax: 6,
  },
  {
    page: "sb-admin-tables",
    about: "a salary in a table built by a script",
    from: /\$320,800/,
    nth: 1,
    to: "$330,800",
    named: /\$320,800.*\$330,800/,
  },
  // Moved, added, removed parts
  {
    page: "modern-business-index",
    about: "a banner at the top that pushes the whole page down",
    from: /<main class="flex-shrink-0">/,
    to: '$&<div class="alert alert-warning text-center mb-0" role="alert">Free shipping until Sunday</div>',
    named: /Free shipping until Sunday/,
  },
  {
    page: "small-business-index",
    about: "the banner below the cards instead of above",
    from: /(<!-- Call to Action-->[\s\S]*?)(<!-- Content Row-->[\s\S]*?)(\n\s*<\/div>\s*\n\s*<!-- Footer-->)/,
    to: "$2$1$3",
    named: /call to action[\s\S]*moved|moved[\s\S]*call to action/i,
    regionsMax: 4,
  },
  {
    page: "heroic-features-index",
    about: "a button that is gone",
    from: /<a class="btn btn-primary btn-lg" href="#!">[^<]*<\/a>/,
    to: "",
    named: /Call to action|button/i,
  },
  {
    page: "shop-homepage-index",
    about: "a badge on a card",
    from: /<img class="card-img-top"/,
    nth: 1,
    to: '<div class="badge bg-danger text-white position-absolute" style="top: 0.5rem; left: 0.5rem">Sold out</div>$&',
    named: /Sold out/,
  },
  {
    page: "agency-index",
    about: "two team members who swapped places",
    from: /(<div class="col-lg-4">\s*<div class="team-member">[\s\S]*?<\/div>\s*<\/div>\s*)(<div class="col-lg-4">\s*<div class="team-member">[\s\S]*?<\/div>\s*<\/div>)/,
    nth: 1,
    to: "$2$1",
    named: /Parveen Anand|Diana Petersen/,
    regionsMax: 8,
  },
  {
    page: "lte-pages-kanban",
    about: "a completed card that disappeared",
    from: /<article class="kanban-card">(?:(?!<article)[\s\S])*?Document hreflang setup[\s\S]*?<\/article>/,
    to: "",
    named: /Document hreflang setup/,
    regionsMax: 6,
  },
  // Looks
  {
    page: "modern-business-pricing",
    about: "the color of a button",
    from: /btn btn-primary" href="#!">Choose plan/,
    nth: 1,
    to: 'btn btn-danger" href="#!">Choose plan',
    named: /Choose plan/,
  },
  {
    page: "grayscale-index",
    about: "the color of a heading",
    from: /<h2 class="text-white mb-4">/,
    nth: 1,
    to: '<h2 class="text-danger mb-4">',
    named: /Built with Bootstrap/,
  },
  {
    page: "freelancer-index",
    about: "the background of the header",
    from: /masthead bg-primary/,
    to: "masthead bg-secondary",
    named: /Start Bootstrap|header|masthead|background/i,
    regionsMax: 6,
  },
  {
    page: "blog-home-index",
    about: "another picture",
    from: /https:\/\/dummyimage\.com\/850x350\/dee2e6\/6c757d\.jpg/,
    nth: 1,
    to: "/photographs/77.jpg",
    named: /image|picture/i,
  },
  {
    page: "landing-page-index",
    about: "a different picture in a background",
    from: /assets\/img\/bg-showcase-1\.jpg/,
    nth: 1,
    to: "assets/img/bg-showcase-3.jpg",
    named: /image|picture|background|showcase|Fully Responsive/i,
  },
  {
    page: "sb-admin-2-index",
    about: "a bar of a progress list",
    from: /style="width: 40%"/,
    to: 'style="width: 70%"',
    named: /Sales Tracking|progress|40%/i,
  },
  {
    page: "creative-index",
    about: "a fixed navigation bar with a different name",
    from: />Start Bootstrap<\/a>/,
    nth: 1,
    to: ">Start Anew</a>",
    named: /Start Bootstrap.*Start Anew/,
  },
  {
    page: "docs-guide",
    about: "an outage notice over the page",
    from: /<div id="app">/,
    to: '<div id="notice" style="position:fixed;z-index:99;right:16px;bottom:16px;padding:16px;background:#b00;color:#fff">Partial outage in Europe</div>$&',
    named: /Partial outage/,
  },
];

/** @throws {Error} if the pattern doesn't match as often as required. */
export function seed({ page, about, from, to, nth }: SeededChange, html: string): string {
  const matches = [...html.matchAll(new RegExp(from.source, `${from.flags}g`))];
  const match = nth === undefined ? (matches.length === 1 ? matches[0] : undefined) : matches[nth - 1];
  if (!match) throw new Error(`${page}, ${about}: ${from} matches ${matches.length} times`);
  return html.slice(0, match.index) + html.slice(match.index).replace(from, to);
}
