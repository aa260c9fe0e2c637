/** Short ordinary pages with the words of notices: names of failures, parts of the web, excuses and advice. */

import type { SamplePage } from "./sample-page.ts";

const texts: [title: string, ...lines: string[]][] = [
  ["Website maintenance", "We keep your website up to date, so that it never goes down.", "Contact the team and get back to work."],
  ["Blocked drains", "We clear blocked drains in Kent. Currently no waiting list.", "Contact the office."],
  ["Access control", "Locked doors, restricted areas: our systems decide who has access.", "We recommend a visit. Go back to the list."],
  ["サイトのメンテナンス", "ホームページの更新とメンテナンスを承ります。", "お問い合わせはこちら"],
  ["Browser support", "Version 7 of Internet Explorer is not supported. The map needs a modern browser such as Chrome."],
  ["Haus am See", "Leider nicht mehr verfügbar. Schauen Sie bald wieder auf unsere Seite."],
  ["Parking restricted", "Parking is restricted in Mill Lane at the moment. Use the station. Sorry for the inconvenience."],
  ["Road closed", "The road to the village is closed because of flooding. Sorry for the inconvenience. Try the bridge."],
  ["Power outage", "The network in Oak Street is currently interrupted. We apologize. Power will be back soon."],
  ["Unser Service", "Wir reparieren Fehler an Ihrer Waschmaschine. Leider derzeit nur in Bonn.", "Zurück"],
  ["Forbidden fruit", "A page of poems. Soon there will be more. Go back to the index."],
  ["Suspended ceilings", "Our service: suspended ceilings for offices. Currently from stock.", "Back to products"],
  ["Guitar", "Sorry, this guitar is no longer available.", "Back to the shop"],
  ["Offline first", "A talk about web applications that are available offline. Slides soon."],
  ["Termine", "Demnächst: Lesung im Café. Die Seite wird laufend ergänzt."],
  ["Our wedding", "Coming soon, on the site of the old mill: 14 June, Lyon.", "120 days 4 hours 12 minutes 3 seconds"],
  ["Free Wi-Fi", "To connect to the internet, ask for the password at the desk. Open from nine to five."],
  ["Metro service suspended", "No trains between the harbour and the zoo until noon. Take bus 7."],
  ["Access blocked?", "The path behind the mill is blocked by a fallen tree. Take the road."],
  ["JavaScript", "A course for beginners: scripts in the browser, from variables to timers. Sundays at the library."],
  ["Captcha", "A poem about a machine that has to prove that it isn't one, and about the one who asks it to."],
  ["Clubhaus", "Unser Clubhaus ist wegen einer Feier gesperrt. Das Büro hat offen."],
  ["Keys", "If you do not have access to this building, ask the porter for a key. A deposit is due."],
  ["Missing page", "Page 12 of the atlas is missing in some copies. We send it to you: write to the publisher."],
  ["Login help", "Sign in with Google or with Facebook: both work."],
  ["404 Festival", "Electronic arts in Rosario, 4 to 8 December. The programme page appears in October. Site: the old station."],
  ["405 Records", "Independent record label from Los Angeles. Home of the Night Bus and Ada Moon."],
  ["420 Grill & Bar", "Steaks at 420 degrees. Mill Street 4, home delivery from 18:00."],
  [
    "Domaine du Lac",
    "Ce domaine de 40 hectares est à 3 km du village. Ventes de vin le samedi. Le domaine est enregistré aux monuments historiques.",
  ],
  ["Domaine Tessier", "Depuis 1921, le domaine produit des vins rouges et blancs à Chinon. Visites le samedi, réservez par téléphone."],
  ["Smith Garden Maintenance", "We are currently taking on new gardens in Leeds and York. Hedges, lawns, leaves."],
  ["Home maintenance", "We repair roofs, gutters and windows. Currently in Bristol only."],
  ["Autohuolto Virtanen", "Huolto ja korjaus Tampereella. Varaa aika pian. Öljynvaihto 89 euroa."],
  ["Starting Jenkins", "Run the archive with Java, then open the address that it prints."],
  ["開館時間", "本館目前每日開放，稍後開放新展區。歡迎返回首頁查看活動。"],
];

export const noticeLookAlikes: SamplePage[] = texts.map(([title, ...lines], index) => ({
  name: `notice look-alike: ${title}`,
  expected: "ok",
  path: `/page/${index}`,
  html: `<!doctype html><meta charset=utf-8><title>${title}</title><h1>${title}</h1>${lines.map((line) => `<p>${line}</p>`).join("")}`,
}));
