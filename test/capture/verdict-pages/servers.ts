/**
 * Pages of servers, hosting services and firewalls, sign-in pages and dialogs, and pages that resemble them, each with the verdict it
 * deserves.
 */

import type { SamplePage } from "./sample-page.ts";

const countries = Array.from({ length: 220 }, (_, index) => `<option>Country number ${index} (+${100 + index})</option>`).join("");
const inputs = '<input name="user"><input type="password" name="secret">';

/** Titles and texts of short ordinary pages. */
const notes: [title: string, text: string][] = [
  ["Access denied: what to do", "If your IP address is blocked by a firewall, restart your router, or ask us."],
  ["Captcha form", "Visitors complete a security check before they send a form. It stops spam. Free for small sites."],
  ["Your IP", "Your address is 203.0.113.5. Your browser is new. Your connection isn't blocked, and your traffic isn't unusual."],
  ["Swimming", "For adults over 18: Tuesdays. Children under 18: Mondays. <button>Yes, I want to come</button>"],
  ["Gym", "You must be 18 years old to train alone. <button>Enter the competition</button>"],
  ["18 years of bread", "We have baked for 18 years. <a href=/shop>Visit us on Saturday</a>"],
  ["20 Jahre Chor", "Wir singen seit 18 Jahren im Park. <button>Ja, ich komme</button>"],
  ["Upload your files", "Replace the default page: upload your own index.html to the folder of your hosting."],
  ["A bridge between 3 and 4", "502 Bad Gateway was a band. Sorry for the trouble: the concert is sold out."],
  ["Error 17", "The printer shows error 17 if paper is missing. Open the door, and try again."],
  ["Access restricted on Sundays", "The tower is closed for visitors on Sundays."],
  ["Acceso restringido al parque", "Por obras, el parque cierra a las seis."],
  ["Zugang gesperrt", "Der Steg ist bis Mai gesperrt. Bitte den Umweg nehmen."],
  ["Security analyst", "You watch traffic, block attacks and verify incidents. Human, curious, calm."],
  ["Robot club", "We build robots. Challenge: a robot that sorts. Verify your place by Friday."],
  ["Domain model", "Each order has an owner. Servers are registered in the directory. See the default page layout."],
  ["Placeholders", "This tool makes placeholder pages for your design. <button>Make one</button>"],
  ["Drucken", "Wähle Standardseite A4. Der Drucker ist noch nicht eingerichtet? Hilfe."],
  ["Cameras", "This camera has not been set up yet. Living room: on."],
  ["Parked by the lake", "Cars may be parked by the lake until ten."],
  ["You have been blocked", "A song about walls, from our new record. Buy it here."],
  ["Your request was denied", "Act two of the play. Reference text for students."],
  ["Suspended", "Our suspended shop hangs from three ropes. Contact the architect."],
  ["Hair by Ana", "Monday to Friday 9-18. Phone +21 331 2204. Ring 4, Porto."],
  ["Prices", "Under 18: 3 euros. Over 18: 5 euros. Families: 10 euros."],
  ["Address check", "Your IP address is 192.0.2.7. It has not been blocked by any of 80 lists."],
  ["Port 25", "Your network has never been blocked by us. Write to us if mails don't arrive."],
  ["Pair your television", "Enter the code shown on your TV to continue. <input> <button>Pair</button>"],
  ["News of our boats", "We write once a month. No robots: this form is protected by a captcha. <input type=email> <button>Send</button>"],
  ["Vol.two is now on sale", "The second volume has 300 pages and 80 pictures. Ask for it in any bookshop."],
  ["Prints", "Public domain prints for sale: three euros each. We send them rolled."],
  ["We're launching brands that last", "Our studio names and draws them. Write to us about yours."],
  ["Lamp 4 launches in 3 weeks", "Brighter, and 400 euros. Order it now, and it is yours on the first day."],
  ["Plugins we use", "A cache, forms, and SpamFireWall against bots. The rest is our own."],
  ["Bilder", "Dieser Ordner hat noch keinen Inhalt. Lade die erste Datei hoch."],
  ["Version 3", "New: a maintenance mode. Fixed: the clock came back an hour late. We suggest an update."],
  ["Films", "Some films can't be played in your country. Ask our team which ones."],
  ["Why was my account suspended?", "Usually a payment has failed. Pay the open bill, and it is open again after an hour."],
  ["Oil", "Checking the oil: stop on even ground. Wait ten minutes after a drive, then pull the rod."],
  ["Cart", "Your cart is empty. Click here to continue shopping."],
  ["Reset", "Press and hold the button for ten seconds, then press OK to confirm."],
  ["Status", "The server is running. 3 players are online."],
  ["Suspended accounts", "This page explains what happens to an account that isn't paid, and when it is deleted."],
  ["Version 4", "New: a maintenance mode. Fixed: unsaved drafts are kept."],
  ["IP", "Ihre IP-Adresse ist 192.0.2.7. Sie ist nicht gesperrt."],
  ["Bildleser", "Die Zeichen im Bild werden automatisch erkannt. <input> <button>Lesen</button>"],
  ["Filter", "Checking the filter: switch off the device. Wait ten minutes, then open the lid."],
  ["Report fraud", "Have you seen suspicious activity on your account? Disconnect your computer, and call us."],
  ["Domaine Morel", "Ce domaine est cultivé par notre famille depuis 1802."],
  ["Schule", "Hier entsteht eine Schule für 300 Kinder."],
  ["Fietsen", "Onderhoud van uw fiets kost 40 euro."],
  ["Hostinger review: a year with its cheapest plan", "The pages were quick, and the help desk answered at night."],
  ["Gym rules", "You must sign in before you use the room. Bring a towel."],
  ["Cottages near St.Ives for sale", "Two rooms, a stove and a view of the bay. Write to us."],
  ["Students", "To pay less, verify you are a student. Please wait at door 2 until you are called."],
];

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
  {
    name: "a server just installed, among its demonstrations",
    expected: "parked",
    html: `<title>Welcome</title><nav>Home Documentation</nav><main><h1>Congratulations</h1><p>You have successfully installed the example web server!</p>
      <p>Please replace this page with your own web pages, and create a virtual host.</p><h2>Demonstrations</h2>
      <ul>${"<li>A script that answers with a greeting and the time of day: run it</li>".repeat(6)}</ul></main>`,
  },
  {
    name: "a tutorial that installs a server",
    expected: "ok",
    html: `<title>A web server in ten minutes</title><main><h1>A web server in ten minutes</h1><p>Once the web server is installed and running,
      replace the page in its folder with your own web pages. Nothing else is needed for a site of your own.</p><h2>Ports</h2>
      <p>It listens on port 80; change this in its configuration.</p></main>`,
  },
  {
    name: "a hosting account without files",
    expected: "parked",
    html: `<title>Your account is active</title><main><h3>Your hosting space is ready</h3><p>If you see this page, the domain has been set up,
      but its files have not been uploaded yet.</p><p>Please contact your administrator.</p></main>`,
  },
  {
    name: "a site that is coming soon",
    expected: "parked",
    html: "<title>bakery.example - Coming Soon</title><h1>bakery.example</h1><p>Powered by an example panel</p>",
  },
  {
    name: "a road map of what is coming soon",
    expected: "ok",
    html: `<title>Coming soon - road map</title><main><h1>Coming soon</h1><h2>Spring</h2><p>Invoices can be sent by post, and customers can pay
      them by direct debit. Offices share their address books.</p><h2>Summer</h2><p>An application for tablets, which also works without a
      connection.</p></main>`,
  },
  {
    name: "a suspended site, in Spanish",
    expected: "error_page",
    html: `<title>Sitio suspendido</title><p>Este sitio ha sido suspendido</p><p>El acceso a esta web se encuentra deshabilitado por ahora.</p>
      <p>Consulte con su proveedor de hosting.</p>`,
  },
  {
    name: "a suspended account, in Turkish capitals",
    expected: "error_page",
    html: `<html lang="tr"><title>HESAP ASKIYA ALINDI</title><h1>HESAP ASKIYA ALINDI</h1><p>Web sitesi geçici olarak kapalı.</p>`,
  },
  {
    name: "a page about suspended ceilings",
    expected: "ok",
    html: `<title>Suspended ceilings</title><main><h1>Suspended ceilings</h1><p>A suspended ceiling hides pipes and dampens sound. We measure,
      deliver and mount it within a week.</p></main>`,
  },
  {
    name: "a maintenance mode with a counter, in German",
    expected: "error_page",
    html: `<title>Kanzlei Beispiel</title><div><b>Kanzlei Beispiel</b><h3>Wartungsmodus</h3><p>Wir entwickeln gerade, und erscheinen nach Ablauf
      des Zählers.</p>35 Tage 17 Stunden 50 Minuten</div>`,
  },
  {
    name: "a check of the browser that names no vendor",
    expected: "bot_wall",
    html: `<title>news.example</title><h1>Checking your browser</h1><h3>news.example</h3><p>Please wait a moment while we verify your request.</p>
      <p>This process is automatic. You will be redirected shortly.</p><h4>Details</h4><p>IP address: 192.0.2.7</p>`,
  },
  {
    name: "a check of the visitor, in Russian",
    expected: "bot_wall",
    html: `<title>Challenge</title><h1>Проверяем, человек ли вы</h1><p>Сначала нужно проверить безопасность подключения.</p><p>Ray ID: 1</p>`,
  },
  {
    name: "a page that loads slowly",
    expected: "ok",
    html: `<title>Tickets</title><h1>Your tickets</h1><p>Please wait a moment while the list of your tickets is loaded. This takes a few seconds
      in the evening, when most people look.</p>`,
  },
  {
    name: "a board's answer to a guest, with a form to sign in and a note on registration",
    expected: "login_wall",
    path: "/viewforum",
    html: `<title>Tractors - Login</title><h1>Tractors</h1><main><h2>The board requires you to be registered and logged in to view this forum.</h2>
      <form>Username <input> Password <input type="password"> <input type="checkbox"> Remember me <button>Login</button>
      <h3>Register</h3><p>In order to log in you must be registered, which takes a moment.</p></form></main>`,
  },
  {
    name: "a sign-in with another service",
    expected: "login_wall",
    path: "/reports",
    html: "<title>Sign In</title><main><form action='/start'><button>Sign in with OpenID Connect</button></form></main>",
  },
  {
    name: "a post for paying subscribers, below its beginning",
    expected: "login_wall",
    html: `<title>Letters</title><main><article><h1>The second letter</h1><p>${"It began to rain when we left the harbor. ".repeat(8)}</p>
      <h2>This post is for paying subscribers only</h2><a href="/join">Subscribe now</a> Already have an account? <a href="/in">Sign in</a></article></main>`,
  },
  {
    name: "a dialog that asks for consent, in front of a layer of its own",
    expected: "consent_wall",
    html: `<title>Atelier</title><main><h1>Atelier</h1><p>${"Nous réparons des vélos. ".repeat(30)}</p></main>
      <div style="position: fixed; inset: 0; background: #000c"></div>
      <div style="position: fixed; left: 25%; top: 40%; width: 50%; height: 20%; background: #fff">Ce site utilise des cookies et vous donne le
      contrôle. <button>Tout accepter</button> <button>Tout refuser</button></div>`,
  },
  {
    name: "a dialog that asks for the age, in front of a layer of its own",
    expected: "consent_wall",
    html: `<title>Shop</title><main><h1>Shop</h1><p>${"A bottle for an evening with friends. ".repeat(30)}</p></main>
      <div style="position: fixed; inset: 0; background: #000c"></div>
      <div style="position: fixed; left: 35%; top: 40%; width: 30%; height: 20%; background: #fff"><h2>Age verification</h2>
      You must be 21 years old to enter. <button>Yes</button> <button>No</button></div>`,
  },
  {
    name: "a small note at the center of a page, without a layer behind it",
    expected: "ok",
    html: `<title>Shop</title><main><h1>Shop</h1><p>${"A bottle for an evening with friends. ".repeat(30)}</p></main>
      <div style="position: fixed; left: 35%; top: 40%; width: 30%; height: 20%; background: #fff">We use cookies, and sell to people who are 18 or
      older. <button>Accept</button></div>`,
  },
  {
    name: "a notice whose button states the visitor's age",
    expected: "consent_wall",
    html: `<title>Gallery</title><main><h1>Before you go in</h1><p>Some of the pictures here are not for everybody.</p><ul><li>You come of your own
      accord.</li><li>You aren't easily offended.</li></ul><button>I am 18 or older, enter</button> <button>Leave</button></main>`,
  },
  {
    name: "a post whose form asks for an age",
    expected: "ok",
    html: `<title>Runners</title><main><h1>Which race suits you?</h1><p>Tell us your age and how often you run, and we will suggest a distance.</p>
      <form>Age <input> Runs a week <input> <button>Suggest</button></form></main>`,
  },
  {
    name: "a parked domain that says so in its footer",
    expected: "parked",
    html: "<title>Domain is parked</title><header><h1>192.0.2.1</h1></header><footer>This domain is currently parked.</footer>",
  },
  {
    name: "a tool that checks a browser's version",
    expected: "ok",
    html: "<title>Browser check</title><main><h1>Browser check</h1><p>You use Firefox 140. It supports all of our lessons.</p></main>",
  },
  {
    name: "a note that an e-mail was sent to verify an address",
    expected: "ok",
    html: `<title>Verify your address</title><main><h1>Verify your address</h1><p>We sent a message to you. Open the link in it, then wait a
      moment until this page changes.</p></main>`,
  },
  {
    name: "a competition called a challenge",
    expected: "ok",
    html: "<title>Photo challenge</title><main><h1>Photo challenge</h1><p>Send us a picture of the moment you liked best this year.</p></main>",
  },
  {
    name: "a bus service that is suspended",
    expected: "ok",
    html: `<title>Bus service suspended</title><main><h1>Bus service suspended until Friday</h1><p>Line 12 doesn't run because of snow. Line 14
      stops at the market instead.</p></main>`,
  },
  {
    name: "a short page of a manual about the maintenance mode",
    expected: "ok",
    html: `<title>Maintenance mode</title><main><h1>Maintenance mode</h1><p>Run <code>app down</code> to turn maintenance mode on, and
      <code>app up</code> to turn it off.</p></main>`,
  },
  {
    name: "a service that is paused, in Turkish",
    expected: "error_page",
    html: `<html lang="tr"><title>Hizmetiniz duraklatıldı</title><h1>Hizmetiniz duraklatıldı!</h1><p>Bir hata olduğunu düşünüyorsanız bize yazın.</p>`,
  },
  {
    name: "a captcha with one field, in Chinese",
    expected: "bot_wall",
    html: `<title>请输入验证码</title><h1>抱歉</h1><p>您的请求看起来像是自动发出的。要继续访问，请输入下面图片中的字符：</p><form><input name="answer"><button>确定</button></form>`,
  },
  {
    name: "a firewall that has blocked the visitor's address",
    expected: "bot_wall",
    status: 403,
    html: "<title>Access denied</title><div>Access denied</div><p>Your network address has been blocked, as too many requests came from it.</p>",
  },
  {
    name: "a captcha in a contact form",
    expected: "ok",
    html: `<title>Contact</title><main><h1>Contact</h1><form>Name <input> E-mail <input type="email"> Message <textarea></textarea> Enter the characters in
      the picture, so that no robot writes to us <input> <button>Send</button></form></main>`,
  },
  {
    name: "a tool that shows the visitor's address",
    expected: "ok",
    html: "<title>My address</title><main><h1>192.0.2.7</h1><p>Your IP address is 192.0.2.7. It is on none of the 80 lists of blocked addresses.</p></main>",
  },
  {
    name: "a dialog that asks for the date of birth",
    expected: "consent_wall",
    html: `<title>Brauerei</title><main><h1>Brauerei</h1><p>${"Unser Bier reift sechs Wochen im Keller. ".repeat(20)}</p></main>
      <div style="position: fixed; inset: 0; background: #000">Bist du volljährig? Geburtsdatum <input placeholder="TT.MM.JJJJ"> <button>Eintreten</button></div>`,
  },
  {
    name: "a dialog for a new account that asks for the date of birth",
    expected: "ok",
    html: `<title>Forum</title><main><h1>Forum</h1><p>${"Someone asks how deep a pond must be for carp. ".repeat(20)}</p></main>
      <div style="position: fixed; inset: 0; background: #fff">Join the forum. Name <input> Password <input type="password"> Date of birth <input>
      <button>Continue</button></div>`,
  },
  {
    name: "a game that isn't available in a region",
    expected: "error_page",
    html: "<title>Skies</title><h2>Sorry</h2><h3>The game is currently unavailable in your country or region.</h3>",
  },
  {
    name: "a page about what can be sent to other countries",
    expected: "ok",
    html: `<title>Shipping</title><main><h1>Shipping</h1><p>We send to 40 countries. Batteries are restricted in your country, and glass can break on
      the way. Ask us before you order.</p></main>`,
  },
  {
    name: "a domain that is for sale, with a form",
    expected: "parked",
    html: `<title>hafen.example</title><h1>hafen.example</h1><h2>Diese Domain steht zum Verkauf</h2><h3>Preis: 4.000 Euro</h3><h3>Angebot</h3>
      <form>Name <input> E-Mail <input> Angebot <input> Nachricht <textarea></textarea> <button>Senden</button></form>`,
  },
  {
    name: "a shop that is almost ready",
    expected: "parked",
    html: "<title>Lumen</title><h1>Hello, we are Lumen, and almost ready for launch</h1><p>12 days, 4 hours</p>",
  },
  {
    name: "a new space at a hosting service, in German",
    expected: "parked",
    html: `<title>Domain nicht aktiv</title><h1>Hier entsteht eine neue Internetseite</h1><h3>Gehört sie dir?</h3><p>Diese Website hat noch keinen
      Inhalt. Lade deine Dateien hoch.</p>`,
  },
  {
    name: "an article about a launch",
    expected: "ok",
    html: `<title>Launch day</title><main><article><h1>We're launching in May</h1><p>${"The rocket has stood on its table for a week, and the engineers test one valve after another. ".repeat(5)}</p></article></main>`,
  },
  {
    name: "content that isn't available",
    expected: "error_page",
    html: "<title>Unavailable</title><h1>Oops! Content not available</h1><p>The content you are looking for isn't here.</p><a href='/'>Home</a>",
  },
  {
    name: "a choice between signing in and a new account",
    expected: "login_wall",
    path: "/films/3",
    redirect: "/paywall",
    html: `<title>Kino</title><h1>Log in or create an account</h1><a href="/in">Log in</a> <a href="/new">Register</a><p>Abonnement: 8 euros a month.</p>`,
  },
  ...notes.map(
    ([title, text], index): SamplePage => ({
      name: `a short page that has words of walls: ${title} (${index})`,
      expected: "ok",
      html: `<title>${title}</title><main><h1>${title}</h1><p>${text}</p></main>`,
    }),
  ),
];
