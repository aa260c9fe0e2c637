/** Pages that servers, proxies and firewalls show, and sign-in pages with long lists of options, each with the verdict it deserves. */

import type { SamplePage } from "./sample-page.ts";

const countries = Array.from({ length: 220 }, (_, index) => `<option>Country number ${index} (+${100 + index})</option>`).join("");
const inputs = '<input name="user"><input type="password" name="secret">';

export const servers: SamplePage[] = [
  {
    name: "CDN's captcha",
    expected: "bot_wall",
    status: 403,
    html: `<title>Attention Required! | Cloudflare</title><h1>One more step</h1><h2>Please pass the check to reach shop.example</h2>
      <form action="/cdn-cgi/l/chk_captcha"><button>Submit</button></form><h2>What is this for?</h2><p>${"Solving the puzzle shows that a person is asking, and opens the shop for a while. ".repeat(4)}</p>
      <h2>How can it be avoided?</h2><p>${"Look for malware on this computer, or ask whoever runs the network to look for it. ".repeat(4)}</p>`,
  },
  {
    name: "CDN's script without a page",
    expected: "bot_wall",
    status: 503,
    html: '<script async src="/cdn-cgi/bm/cv/1/api.js"></script>',
  },
  {
    name: "firewall that forbids access",
    expected: "bot_wall",
    status: 403,
    html: "<title>Forbidden</title><h1>Access forbidden</h1><p>You can't visit this website.</p><p>The security check is by Wallguard.</p>",
  },
  {
    name: "sign-in page with a list of countries",
    expected: "login_wall",
    path: "/films",
    redirect: "/login",
    html: `<title>Kino</title><h1>Sign in</h1><form><select>${countries}</select>${inputs}<button>Sign in</button></form>`,
  },
  {
    name: "sign-in page in a language without phrases",
    expected: "login_wall",
    path: "/postur",
    redirect: "/login",
    html: `<title>Vefpóstur</title><form><p>Notandanafn og lykilorð</p>${inputs}<button>Skrá inn</button></form>`,
  },
  {
    name: "French proxy",
    expected: "error_page",
    html: `<title>ERREUR : l'URL demandée n'a pas pu être chargée</title><h1>ERREUR</h1><p>En demandant http://shop.example/, le serveur mandataire n'a reçu aucune réponse.</p>`,
  },
  {
    name: "Italian server that refuses access",
    expected: "error_page",
    html: "<title>Accesso negato!</title><h1>Accesso negato!</h1><p>Per leggere questa cartella manca il permesso.</p><h2>Error 403</h2>",
  },
  {
    name: "Dutch server without the object",
    expected: "error_page",
    html: "<title>Object niet gevonden!</title><h1>Object niet gevonden!</h1><p>Op deze server staat het niet. Controleer het adres.</p><h2>Error 404</h2>",
  },
  {
    name: "title with the site before the status",
    expected: "error_page",
    html: "<title>Oh dear | 404 - Resource not found</title><h1>Resource not found <small>Error 404</small></h1><p>The resource could not be found, so there is no page to show here.</p>",
  },
  {
    name: "default page of an application server",
    expected: "parked",
    html: `<title>Servlets</title><h1>It works !</h1><p>This is the default Servlets page, at /srv/www/ROOT. ${"Further packages add manuals and examples. ".repeat(4)}</p>`,
  },
  {
    name: "firewall that blocks an attack",
    expected: "bot_wall",
    status: 403,
    html: "<title>Shop</title><p>The webmaster has set this address to be blocked.</p><p>Possible cause: what you sent looks like an attack. Check it, or write to us.</p>",
  },
  {
    name: "server that was set up a moment ago",
    expected: "parked",
    html: "<title>Done</title><h1>Done!</h1><p>Your new web server is ready.</p>",
  },
  {
    name: "sign-in step that asks for a code",
    expected: "login_wall",
    path: "/invoices",
    html: "<title>Two steps</title><main><h1>Confirm your account</h1><p>Enter the verification code that we sent to your phone.</p><form><input inputmode=numeric maxlength=6><button>Verify</button></form><a href=/again>Send another code</a></main>",
  },
  {
    name: "sign-in form that signs out after some days",
    expected: "login_wall",
    path: "/feeds",
    html: "<html lang=ja><title>ログイン</title><main><h1>ログイン</h1><form><label>ユーザー名 <input name=user></label><label>パスワード <input type=password></label><label><input type=checkbox> 14日後にログアウトする</label><button>ログイン</button></form></main>",
  },
  {
    name: "shop whose new site is ready",
    expected: "ok",
    path: "/news/site",
    html: `<title>News</title><article><h1>Our new shop</h1><p>The new site is ready. ${"It has larger pictures, a better search and a page for each workshop. ".repeat(4)}</p></article>`,
  },
  {
    name: "help page about codes",
    expected: "ok",
    path: "/help/codes",
    html: `<title>Codes</title><article><h1>Codes by text message</h1><p>Enter the verification code within ten minutes. ${"Codes arrive faster where the signal is good, and some phones show them on the locked screen. ".repeat(4)}</p><form><input type=search><button>Search</button></form></article>`,
  },
  {
    name: "article about a server's default page",
    expected: "ok",
    path: "/notes/first-server",
    html: `<title>It works! My first server</title><article><h1>It works! My first server</h1><p>${"On Sunday I put a server into the cupboard and wrote down each step. ".repeat(8)}</p></article>`,
  },
  {
    name: "exchange rates with a list of countries",
    expected: "ok",
    path: "/rates",
    html: `<title>Exchange rates</title><h1>Exchange rates</h1><form><select>${countries}</select><button>Show</button></form><p>One euro buys 11.42 kroner today, a little more than on Friday.</p>`,
  },
  {
    name: "film called Access denied",
    expected: "ok",
    path: "/films/access-denied",
    html: `<title>Access Denied</title><h1>Access Denied</h1><p>Thriller, 2019, 104 minutes. ${"A locksmith opens the wrong vault and must leave the city by night. ".repeat(5)}</p><p>Cinema 4, 20:15</p>`,
  },
];
