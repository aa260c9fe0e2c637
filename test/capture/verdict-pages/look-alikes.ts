/** Pages written without knowledge of the rules: ordinary ones that resemble walls, and walls without the usual signs. */

import type { SamplePage } from "./sample-page.ts";

export const lookAlikes: SamplePage[] = [
  {
    name: "look-alike robotvac",
    expected: "ok",
    html: "<!doctype html><title>Reset your cleaner</title><h1>Reset your RoboClean 3</h1><p>Press and hold the Home button for ten seconds until the robot beeps twice. The light ring turns blue and the robot starts to map your home again. Schedules are kept.<p>Need help? Call us on weekdays from 9 to 5.",
  },
  {
    name: "look-alike police",
    expected: "ok",
    html: "<!doctype html><title>Village news</title><h1>Police ask for witnesses</h1><p>On Tuesday evening neighbours in Mill Lane reported suspicious activity near the old school. Officers stopped a van; the road was blocked for two hours. Nobody was hurt. Witnesses are asked to call the station in Oakham.<p>Next meeting of the parish council: 4 June.",
  },
  {
    name: "look-alike airport",
    expected: "ok",
    html: "<!doctype html><title>Getting to the airport</title><h1>Before you fly</h1><p>Please arrive two hours before your departure. The security check opens at 4 a.m. Liquids go into a clear bag of one litre. Trams leave for the centre every ten minutes.",
  },
  {
    name: "look-alike contact",
    expected: "ok",
    html: '<!doctype html><title>Contact – Studio Nine</title><h1>Contact us</h1><form action=/send><p>Name <input><p>Mail <input><p>Message <textarea></textarea><p>We will confirm your appointment within a day.<button>Send</button></form><p>Studio Nine, 12 High Street, Leeds<script src="https://www.google.com/recaptcha/api.js"></script>',
  },
  {
    name: "look-alike awswaf",
    expected: "ok",
    html: '<!doctype html><title>Juniper Bank</title><h1>Banking that is simple</h1><p>Open an account in five minutes. No fees, no paper. Cards for the whole family.<p><a href=/open>Open an account</a><script src="https://3f38f7f4f368.edge.sdk.awswaf.com/3f38f7f4f368/e1fcfc58118e/challenge.js" defer></script>',
  },
  {
    name: "look-alike appshell",
    expected: "ok",
    html: "<!doctype html><title>Tasks – Planner</title><style>#app{position:fixed;inset:0;overflow:auto}</style><div id=app><nav>Inbox Today Projects Settings</nav><main><h1>Today</h1><p>Water the plants<p>Call the dentist<p>Send the report to Maria</main><footer>Terms Privacy Cookies</footer></div>",
  },
  {
    name: "look-alike lookbook",
    expected: "ok",
    html: "<!doctype html><title>Autumn look book</title><style>.slides{position:fixed;inset:0;background:#eda}</style><div class=slides><h1>Autumn 2026</h1><p>Wool, linen and leather, made in Porto.</p><p>Accepted cards: Visa, Mastercard. Privacy policy</p></div>",
  },
  {
    name: "look-alike 500",
    expected: "ok",
    html: "<!doctype html><title>500 Days of Summer – Kino am Markt</title><h1>500 Days of Summer</h1><p>USA 2009, 95 minutes. With Joseph Gordon-Levitt and Zooey Deschanel. Friday at 8 p.m. in the small hall. Tickets 9 euros.",
  },
  {
    name: "look-alike 501",
    expected: "ok",
    html: "<!doctype html><title>501® Original Jeans</title><h1>501 Original Fit Jeans</h1><p>The straight leg that started it all. 100 % cotton. Sizes 26 to 44. 110 euros. Add to basket.",
  },
  {
    name: "look-alike 404",
    expected: "ok",
    html: "<!doctype html><title>404 Media</title><h1>404 Media</h1><p>Journalists who write about technology. New stories every weekday, a podcast every Friday. Subscribe for free.",
  },
  {
    name: "look-alike boiler",
    expected: "ok",
    html: "<!doctype html><title>Heating service</title><h1>Routine maintenance for your boiler</h1><p>Once a year, for 89 euros. We clean the burner, measure the exhaust and check the pressure. Book a date by phone.",
  },
  {
    name: "look-alike tour",
    expected: "ok",
    html: "<!doctype html><title>The Larks</title><h1>We will be back in June!</h1><p>Tour dates: Berlin 3 June, Hamburg 5 June, Copenhagen 8 June. Tickets at the box office. New record out now on vinyl.",
  },
  {
    name: "look-alike domaine",
    expected: "ok",
    html: "<!doctype html><title>Domaine des Tilleuls</title><h1>A vineyard in the Jura</h1><p>Domaine des Tilleuls, four hectares of Savagnin with a stone house, is for sale. Visits by appointment with our agent in Arbois, Maître Blanc.",
  },
  {
    name: "look-alike itworks",
    expected: "ok",
    html: "<!doctype html><title>It works! – Notes</title><h1>It works!</h1><p>After three weekends the sourdough starter is finally alive. I fed it with rye flour twice a day and kept it at 26 degrees. Here is the first loaf, with a crust that sings when it cools.",
  },
  {
    name: "look-alike academic",
    expected: "ok",
    html: "<!doctype html><title>Prof. Eva Lind</title><b>Eva Lind</b>, professor of geology, University of Uppsala<p>Papers: Granite (2019), Gneiss (2021)<p>Related links<br><a href=/a>Department</a><br><a href=/b>Museum</a>",
  },
  {
    name: "look-alike book",
    expected: "ok",
    html: "<!doctype html><title>Book club</title><h1>Reading circle Bonn</h1><p>We meet every first Monday in the library and talk about one novel. Guests are welcome; the summer trip is members only. May: Stoner. June: Austerlitz.",
  },
  {
    name: "look-alike identify",
    expected: "ok",
    html: "<!doctype html><title>PlantPal</title><h1>Identify any plant from a photo</h1><p>Free for 30 days. 18,000 species, works offline.<form>Mail <input type=email> Password <input type=password><button>Create account</button></form>",
  },
  {
    name: "look-alike accesorios",
    expected: "ok",
    html: "<!doctype html><title>Motos Ruiz</title><form>Usuario <input> Clave <input type=password><button>OK</button></form><h1>Accesorios para tu moto</h1><p>Cascos, guantes y maletas de las mejores marcas. Envío gratis desde 50 euros.",
  },
  {
    name: "look-alike paste",
    expected: "ok",
    html: '<!doctype html><title>Paste 8f31</title><h1>Paste 8f31</h1><pre>Traceback (most recent call last):\n  File "a.py", line 3, in &lt;module&gt;\nKeyError: 7</pre><p>python, posted by kim, 3 minutes ago<p>Raw Download Fork',
  },
  {
    name: "look-alike suspended",
    expected: "ok",
    html: "<!doctype html><title>Help: suspended accounts</title><h1>Your account has been suspended: what now?</h1><p>When an invoice is more than 30 days late, an account is suspended until it is paid. Here is how to get it back.<h2>Pay the invoice</h2><p>Open Billing and choose Pay now.<h2>Wait for the mail</h2><p>It takes about ten minutes.<h2>Still locked?</h2><p>Write to support.",
  },
  {
    name: "look-alike moment",
    expected: "ok",
    html: "<!doctype html><title>Just a moment: poems by Ada Reed</title><h1>Just a moment</h1><p>Forty poems about waiting rooms, trains and rain. Paperback, 96 pages, 14 pounds. Read three of them here.",
  },
  {
    name: "look-alike riseabove",
    expected: "ok",
    html: '<!doctype html><title>Rise Above Climbing</title><h1>Rise Above Climbing Hall</h1><p>Boulders, ropes and a cafe. Open every day from 9 to 23. Courses for children on Saturdays.<script src="https://static.riseabove.com/app.js"></script>',
  },
  {
    name: "look-alike korean",
    expected: "ok",
    html: "<!doctype html><title>호스팅 안내</title><h1>호스팅 안내</h1><p>웹호스팅 상품을 신청하시면 1년간 도메인 등록이 무료입니다. 고객센터는 평일 오전 9시부터 오후 6시까지 운영합니다.",
  },
  {
    name: "look-alike premium",
    expected: "ok",
    html: "<!doctype html><title>Pro plan</title><h1>Congratulations on your new website builder</h1><p>Choose a theme, add your text, publish. Plans start at 5 dollars. No card needed for the trial.",
  },
  {
    name: "look-alike lostsong",
    expected: "ok",
    html: "<!doctype html><title>Lost, not found</title><h1>Lost, Not Found</h1><p>A podcast about things that people leave on trains. Twelve episodes, each half an hour. Listen wherever you get podcasts.",
  },
  {
    name: "article that quotes a parking page",
    expected: "ok",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>How I sold my domain</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><header><b>Millstone</b> <nav><a href="/Home">Home</a><a href="/News">News</a><a href="/Shop">Shop</a><a href="/About">About</a><a href="/Contact">Contact</a></nav></header><main><h1>“This domain is for sale”: how I sold mine</h1><p>The old mill at the river was rebuilt in 1893 after a fire, and its wheel has turned ever since. Visitors can walk the path along the weir from April to October and buy bread in the shop.</p><p>Visitors can walk the path along the weir from April to October and buy bread in the shop. Three generations of the same family have looked after the grindstones and kept the books.</p><p>Three generations of the same family have looked after the grindstones and kept the books. In winter the water freezes at the banks, and the miller clears the sluice by hand each morning.</p><p>In winter the water freezes at the banks, and the miller clears the sluice by hand each morning. A small exhibition on the first floor shows tools, flour sacks and photographs of the flood.</p><p>I parked it with Sedo for a year; the sponsored listings earned four euros.</p></main><footer>© 2025 Millstone · Imprint · Privacy · Terms</footer></body></html>`,
  },
  {
    name: "help page about suspended accounts",
    expected: "ok",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Why do I see “Account Suspended”?</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><header><b>NameHost Help</b> <nav><a href="/Domains">Domains</a><a href="/Billing">Billing</a><a href="/Email">Email</a></nav></header><main><h1>Why do I see “Account Suspended”?</h1><p>Your site shows “This Account has been suspended” when an invoice is overdue.</p><ol><li>Open billing</li><li>Pay the invoice</li><li>Wait five minutes</li></ol><p>Was this helpful?</p></main><footer>© 2025 Millstone · Imprint · Privacy · Terms</footer></body></html>`,
  },
  {
    name: "market for domains",
    expected: "ok",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Premium domains for sale</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><header><b>NameBazaar</b> <nav><a href="/Buy">Buy</a><a href="/Sell">Sell</a><a href="/Auctions">Auctions</a><a href="/Park%20domains">Park domains</a></nav></header><main><h1>Premium domains</h1><input placeholder="Search domains"><div class="card"><b>mill0.example</b><p>For sale: $900</p><button>Buy now</button></div><div class="card"><b>mill1.example</b><p>For sale: $1200</p><button>Buy now</button></div><div class="card"><b>mill2.example</b><p>For sale: $1500</p><button>Buy now</button></div><div class="card"><b>mill3.example</b><p>For sale: $1800</p><button>Buy now</button></div><div class="card"><b>mill4.example</b><p>For sale: $2100</p><button>Buy now</button></div><div class="card"><b>mill5.example</b><p>For sale: $2400</p><button>Buy now</button></div><div class="card"><b>mill6.example</b><p>For sale: $2700</p><button>Buy now</button></div><div class="card"><b>mill7.example</b><p>For sale: $3000</p><button>Buy now</button></div><div class="card"><b>mill8.example</b><p>For sale: $3300</p><button>Buy now</button></div><div class="card"><b>mill9.example</b><p>For sale: $3600</p><button>Buy now</button></div><div class="card"><b>mill10.example</b><p>For sale: $3900</p><button>Buy now</button></div><div class="card"><b>mill11.example</b><p>For sale: $4200</p><button>Buy now</button></div><p>Every domain name is for sale with escrow.</p></main><footer>© 2025 Millstone · Imprint · Privacy · Terms</footer></body></html>`,
  },
  {
    name: "Chinese shop that mentions signing in",
    expected: "ok",
    html: `<!doctype html><html lang="zh"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>磨坊商店</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><header><b>Millstone</b> <nav><a href="/%E9%A6%96%E9%A1%B5">首页</a><a href="/%E7%99%BB%E5%BD%95">登录</a><a href="/%E6%B3%A8%E5%86%8C">注册</a></nav></header><main><h1>面粉</h1><div class="card"><b>黑麦粉0</b><p>¥20</p><button>加入购物车</button></div><div class="card"><b>黑麦粉1</b><p>¥21</p><button>加入购物车</button></div><div class="card"><b>黑麦粉2</b><p>¥22</p><button>加入购物车</button></div><div class="card"><b>黑麦粉3</b><p>¥23</p><button>加入购物车</button></div><div class="card"><b>黑麦粉4</b><p>¥24</p><button>加入购物车</button></div><div class="card"><b>黑麦粉5</b><p>¥25</p><button>加入购物车</button></div><div class="card"><b>黑麦粉6</b><p>¥26</p><button>加入购物车</button></div><div class="card"><b>黑麦粉7</b><p>¥27</p><button>加入购物车</button></div><p>请先登录后购买更优惠</p></main><footer>© 2025 Millstone · Imprint · Privacy · Terms</footer></body></html>`,
  },
  {
    name: "documentation of a sign-in form",
    expected: "ok",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>LoginForm - Components</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><header><b>Millstone</b> <nav><a href="/Button">Button</a><a href="/Card">Card</a><a href="/Input">Input</a><a href="/LoginForm">LoginForm</a></nav></header><main><h1>LoginForm</h1><p>Shows a form with two fields.</p><div class="card" style="width:320px"><h3>Log in to your account</h3><input placeholder="Email"><input type="password" placeholder="Password"><button>Log in</button><a>Forgot password?</a></div><h2>Props</h2><table><tr><td>onSubmit</td><td>function</td></tr><tr><td>providers</td><td>array</td></tr></table><pre>&lt;LoginForm onSubmit={f} /&gt;</pre></main><footer>© 2025 Millstone · Imprint · Privacy · Terms</footer></body></html>`,
  },
  {
    name: "help with signing in",
    expected: "ok",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Login problems</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><header><b>Millstone</b> <nav><a href="/Home">Home</a><a href="/News">News</a><a href="/Shop">Shop</a><a href="/About">About</a><a href="/Contact">Contact</a></nav></header><main><h1>Can't log in?</h1><p>You must log in with your library card number. If you see “401 Unauthorized”, reset your PIN.</p><ul><li>Reset PIN</li><li>Register a card</li><li>Visit a branch</li></ul></main><footer>© 2025 Millstone · Imprint · Privacy · Terms</footer></body></html>`,
  },
  {
    name: "list of services that are unavailable",
    expected: "ok",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Services that are unavailable</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><header><b>Millstone</b> <nav><a href="/Home">Home</a><a href="/News">News</a><a href="/Shop">Shop</a><a href="/About">About</a><a href="/Contact">Contact</a></nav></header><main><h1>Services temporarily unavailable this weekend</h1><ul><li>Vehicle tax: Saturday 22:00 to Sunday 06:00</li><li>Fishing licence: Sunday</li><li>Passports: not affected</li></ul><p>The old mill at the river was rebuilt in 1893 after a fire, and its wheel has turned ever since. Visitors can walk the path along the weir from April to October and buy bread in the shop.</p></main><footer>© 2025 Millstone · Imprint · Privacy · Terms</footer></body></html>`,
  },
  {
    name: "documentation of a status",
    expected: "ok",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>502 Bad Gateway</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><header><b>MillCloud Docs</b> <nav><a href="/Docs">Docs</a><a href="/API">API</a><a href="/Pricing">Pricing</a><a href="/Changelog">Changelog</a></nav></header><main><h1>502 Bad Gateway</h1><p>The proxy got an invalid answer from the upstream server. Check that your app listens on the port you configured, then redeploy.</p><pre>mill logs --tail</pre><p><a>Next: 503 Service Unavailable</a></p></main><footer>© 2025 Millstone · Imprint · Privacy · Terms</footer></body></html>`,
  },
  {
    name: "band named after an error",
    expected: "ok",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Error 404 - the band</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><h1>Error 404</h1><p>Techno trio from Gdańsk. New record “Page Not Found” out now.</p><ul><li>12 Apr Berlin</li><li>14 Apr Praha</li><li>19 Apr Wien</li></ul><a>Listen</a> <a>Tickets</a> <a>Press</a></body></html>`,
  },
  {
    name: "quiz about robots",
    expected: "ok",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Are you a robot? The quiz</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><main><h1>Are you a robot?</h1><p>Ten questions about machines and people. By the Museum of Computing.</p><p>Question 1 of 10: When did you last laugh?</p><label><input type="radio">Today</label><label><input type="radio">Never</label><button>Next</button></main></body></html>`,
  },
  {
    name: "question about a challenge",
    expected: "ok",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Headless browser stuck at "Just a moment..." - Q&A</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><header><b>Millstone</b> <nav><a href="/Home">Home</a><a href="/News">News</a><a href="/Shop">Shop</a><a href="/About">About</a><a href="/Contact">Contact</a></nav></header><main><h1>Headless browser stuck at "Just a moment..."</h1><p>My script prints the title <code>Just a moment...</code> and the body says <code>Enable JavaScript and cookies to continue</code>.</p><pre>await page.goto(url)
console.log(await page.title())</pre><h2>2 Answers</h2><p>The site checks your browser. Ask the owner for an API.</p><p>Checking your browser before accessing is by design.</p></main><footer>© 2025 Millstone · Imprint · Privacy · Terms</footer></body></html>`,
  },
  {
    name: "empty basket",
    expected: "ok",
    path: "/cart",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Your basket</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><header><b>Millstone</b> <nav><a href="/Home">Home</a><a href="/News">News</a><a href="/Shop">Shop</a><a href="/About">About</a><a href="/Contact">Contact</a></nav></header><main><h1>Your basket is empty</h1><p>Once you add something it appears here.</p><button>Continue shopping</button></main><footer>© 2025 Millstone · Imprint · Privacy · Terms</footer></body></html>`,
  },
  {
    name: "look-alike wpcomment",
    expected: "ok",
    html: '<!doctype html><title>Tulips at last – Garden notes</title><style>body{font-family:Arial,sans-serif;margin:0}header,footer{padding:16px 30px;background:#eee}main{padding:30px;max-width:800px}</style></head><body><header><b>Garden notes</b></header><main><article><h1>Tulips at last</h1><p>The first tulips opened this morning, two weeks earlier than last year. The red ones by the wall are the tallest. I will plant more of them in October, together with the blue hyacinths that my neighbour gave me.</p></article><h3>Leave a Reply</h3><p class="must-log-in">You must be <a href="/wp-login.php">logged in</a> to post a comment.</p></main><footer>Proudly powered by WordPress</footer></body></html>',
  },
  {
    name: "look-alike b2b",
    expected: "ok",
    html: '<!doctype html><title>Hex bolt M8 × 40, zinc – Boltworks</title><style>body{font-family:Arial,sans-serif;margin:0}header,footer{padding:16px 30px;background:#eee}main{padding:30px;max-width:800px}</style></head><body><header><b>Boltworks</b> Products Service Contact</header><main><h1>Hex bolt M8 × 40, zinc plated</h1><img src="/ph/300x200/bolt" width=300 height=200><p>DIN 933, strength 8.8, box of 200. In stock. Please log in to see prices.</p><p>Data sheet · CAD model · Certificates</p></main></body></html>',
  },
  {
    name: "look-alike thanks",
    expected: "ok",
    html: "<!doctype html><title>Thank you – Pine & Co</title><style>body{font-family:Arial,sans-serif;margin:0}header,footer{padding:16px 30px;background:#eee}main{padding:30px;max-width:800px}</style></head><body><main><h1>Thank you, Maria!</h1><p>Your order #10432 is confirmed. You will receive an e-mail with your receipt. Delivery on Thursday.</p><p><a href=/>Continue shopping</a></p></main></body></html>",
  },
  {
    name: "look-alike robotexpo",
    expected: "ok",
    html: "<!doctype html><title>Are you a robot? – Museum of Technology</title><style>body{font-family:Arial,sans-serif;margin:0}header,footer{padding:16px 30px;background:#eee}main{padding:30px;max-width:800px}</style></head><body><main><h1>Are you a robot?</h1><p>Exhibition, 3 May to 30 September. Eighty machines that walk, draw and talk, from the tea servant of 1790 to the nurses of today. Open daily except Monday, 10 to 6. Tickets 9 €.</p></main></body></html>",
  },
  {
    name: "look-alike maintnews",
    expected: "ok",
    html: "<!doctype html><title>Scheduled maintenance</title><style>body{font-family:Arial,sans-serif;margin:0}header,footer{padding:16px 30px;background:#eee}main{padding:30px;max-width:800px}</style></head><body><header><b>Riverside Bank</b> Accounts Loans Branches</header><main><h1>Scheduled maintenance</h1><p>On Sunday 14 June, from 3 to 5 in the morning, cards will work but transfers will be booked later. You do not need to do anything. Published on 2 June.</p></main><footer>Imprint Privacy</footer></body></html>",
  },
  {
    name: "look-alike impressum",
    expected: "ok",
    html: '<!doctype html><html lang="de"><head><meta charset="utf-8"><title>Impressum</title><style>body{font-family:Arial,sans-serif;margin:0}header,footer{padding:16px 30px;background:#eee}main{padding:30px;max-width:800px}</style></head><body><main><h1>Impressum</h1><p>Verantwortlich für diese Domain und ihre Inhalte:</p><p>Max Mustermann<br>Gartenweg 3<br>8010 Graz<br>Telefon 0316 123456</p><p>Für Inhalte verlinkter Seiten übernehme ich keine Haftung.</p></main></body></html>',
  },
  {
    name: "look-alike helpdesk",
    expected: "ok",
    html: "<!doctype html><title>Page not found after upload – Help desk</title><style>body{font-family:Arial,sans-serif;margin:0}header,footer{padding:16px 30px;background:#eee}main{padding:30px;max-width:800px}</style></head><body><header>Help desk</header><main><h1>Page not found after upload</h1><p>Asked by Rita, answered. After you upload a folder, wait until the green tick appears; until then links to its files lead nowhere. If it takes longer than ten minutes, rename the folder without spaces.</p></main></body></html>",
  },
  {
    name: "look-alike newsletter",
    expected: "ok",
    html: '<!doctype html><title>Pine & Co – furniture</title><style>body{font-family:Arial,sans-serif;margin:0}header,footer{padding:16px 30px;background:#eee}main{padding:30px;max-width:800px}</style></head><body><header><b>Brand</b> <a href=/a>News</a> <a href=/b>Shop</a> <a href=/login>Log in</a> <a href=/signup>Sign up</a></header><main><h1>Tables of solid oak</h1><p>The council approved the new tram line on Tuesday evening after a debate of four hours. Supporters say it will shorten the way to the hospital by ten minutes. Opponents worry about the trees along the avenue. The council approved the new tram line on Tuesday evening after a debate of four hours. Supporters say it will shorten the way to the hospital by ten minutes. Opponents worry about the trees along the avenue. </p></main><div role=dialog style="position:fixed;inset:5% 15%;background:#fff;box-shadow:0 0 0 99px #0006;padding:60px"><h2>10 % off your first order</h2><p>Join our newsletter. We respect your privacy and never share your address.</p><input type=email placeholder="E-mail"><button>I agree, sign me up</button> <a href=#>No thanks</a></div></body></html>',
  },
];

export const plainWalls: SamplePage[] = [
  {
    name: "plain amazon",
    expected: "bot_wall",
    status: 200,
    html: "<!doctype html><title>Amazon.com</title><h4>Click the button below to continue shopping</h4><form action=/errors/validateCaptcha><button>Continue shopping</button></form><p>Conditions of Use Privacy Policy<p>© 1996-2025, Amazon.com, Inc. or its affiliates",
  },
  {
    name: "plain pardon",
    expected: "bot_wall",
    status: 200,
    html: "<!doctype html><title>Pardon Our Interruption</title><h1>Pardon Our Interruption</h1><p>As you were browsing something about your browser made us think you were a bot. There are a few reasons this might happen:<ul><li>You're a power user moving through this website with super-human speed.<li>You've disabled cookies in your web browser.<li>A third-party browser plugin, such as Ghostery or NoScript, is preventing JavaScript from running.</ul><p>To regain access, please make sure that cookies and JavaScript are enabled before reloading the page.",
  },
  {
    name: "plain imunify",
    expected: "bot_wall",
    status: 200,
    html: "<!doctype html><title>One moment, please...</title><h1>Please wait while your request is being verified...</h1><div class=spinner></div>",
  },
  {
    name: "plain sgcaptcha",
    expected: "bot_wall",
    status: 202,
    html: "<!doctype html><title>Robot Challenge Screen</title><h1>Checking the site connection security</h1><p>This may take a few seconds. Please do not close the tab.",
  },
  {
    name: "plain pypi",
    expected: "bot_wall",
    status: 200,
    html: '<!doctype html><title>Client Challenge</title><p>A required part of this site couldn’t load. This may be due to a browser extension, network issues, or browser settings. Please check your connection, disable any ad blockers, or try using a different browser.<script src="/abcd/script.js"></script>',
  },
  {
    name: "plain wechat",
    expected: "bot_wall",
    status: 200,
    html: "<!doctype html><title>微信公众平台</title><h2>环境异常</h2><p>当前环境异常，完成验证后即可继续访问。<p><a href=#>去验证</a>",
  },
  {
    name: "plain baidu",
    expected: "bot_wall",
    status: 200,
    html: "<!doctype html><title>百度安全验证</title><p>网络不给力，请稍后重试 返回首页 问题反馈<p>请完成下方验证后继续操作<p>拖动左侧滑块使图片为正",
  },
  {
    name: "plain yandex",
    expected: "bot_wall",
    status: 200,
    html: '<!doctype html><title>Oops!</title><h1>Oops!</h1><p>Please confirm that you and not a robot are sending requests<p><button>I\'m not a robot</button> Press to continue<p>SmartCaptcha by Yandex Cloud<script src="/captcha/smart/script.js"></script>',
  },
  {
    name: "plain ticketm",
    expected: "bot_wall",
    status: 200,
    html: "<!doctype html><title>Browsing paused</title><h1>Your Browsing Activity Has Been Paused</h1><p>We've detected unusual behavior coming from either your network or your browser. Please review the list below and try again.<ul><li>Disable your VPN<li>Switch off private browsing</ul>",
  },
  {
    name: "plain sucurijs",
    expected: "bot_wall",
    status: 200,
    html: "<!doctype html><title>You are being redirected...</title><noscript>Javascript is required. Please enable javascript before you are allowed to see this page.</noscript><script>1</script>",
  },
  {
    name: "plain cftr",
    expected: "bot_wall",
    status: 200,
    html: "<!doctype html><title>Bir dakika lütfen...</title><h1>ornek.com</h1><p>İnsan olduğunuz doğrulanıyor. Bu işlem birkaç saniye sürebilir.<p>ornek.com bağlantınızın güvenliğini gözden geçirmek zorunda.",
  },
  {
    name: "plain xlogin",
    expected: "login_wall",
    status: 200,
    html: '<!doctype html><title>Log in to X / X</title><div role=dialog><h1>Sign in to X</h1><button>Sign in with Google</button><button>Sign in with Apple</button><p>or<p><input autocomplete=username placeholder="Phone, email, or username"><button>Next</button><p>Don\'t have an account? Sign up</div>',
  },
  {
    name: "plain okta",
    expected: "login_wall",
    status: 200,
    html: "<!doctype html><title>Acme - Sign In</title><h2>Sign In</h2><form action=/idp/idx/identify><label>Username <input name=identifier autocomplete=username></label><input type=checkbox> Keep me signed in<button>Next</button></form><p>Unlock account? Help",
  },
  {
    name: "plain wpprotected",
    expected: "login_wall",
    status: 200,
    html: "<!doctype html><title>Protected: Wedding photos</title><h1>Protected: Wedding photos</h1><p>This content is password protected. To view it please enter your password below:<form>Password: <input type=password><button>Enter</button></form>",
  },
  {
    name: "plain gdocs",
    expected: "login_wall",
    status: 200,
    html: "<!doctype html><title>Google Docs</title><h1>You need access</h1><p>Request access, or switch to an account with access.<textarea>Message (optional)</textarea><button>Request access</button>",
  },
  {
    name: "plain discourse",
    expected: "login_wall",
    status: 200,
    html: "<!doctype html><title>Acme forum</title><h1>Welcome to Acme forum</h1><p>This site is private. Log in or create an account to see the topics.<button>Log In</button><button>Sign Up</button>",
  },
  {
    name: "plain standard",
    expected: "consent_wall",
    status: 200,
    html: "<!doctype html><title>DER STANDARD</title><h1>Willkommen bei DER STANDARD</h1><p>Entscheiden Sie selbst, wie Sie unsere Inhalte nutzen wollen: mit Cookies und Werbung, oder mit dem PUR-Abo ohne Tracking. Sie können Ihre Einwilligung jederzeit widerrufen.<button>EINVERSTANDEN</button><button>JETZT ABONNIEREN</button>",
  },
  {
    name: "plain sourcepoint",
    expected: "consent_wall",
    status: 200,
    html: '<!doctype html><title>Nachrichten</title><h1>News of the day</h1><p>Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text <div id=sp_message_container_1 style="position:fixed;inset:0;background:#000a;z-index:999"><iframe title="SP Consent Message" style="width:100%;height:100%;border:0" src="http://localhost:4400/sp?hasCsp=true&message_id=1296&consentUUID=null&requestUUID=2f4e&preload_message=true&version=v1"></iframe></div>',
  },
  {
    name: "plain abscookie",
    expected: "consent_wall",
    status: 200,
    html: '<!doctype html><title>Magazine</title><h1>Magazine</h1><p>Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text <div style="position:absolute;inset:0;background:#fff;z-index:9"><h2>We value your privacy</h2><p>We and our 842 partners store cookies on your device.<button>Accept all</button><button>Reject all</button></div>',
  },
  {
    name: "plain wix",
    expected: "parked",
    status: 200,
    html: "<!doctype html><title>Error ConnectYourDomain</title><h1>Looks Like This Domain Isn't Connected To A Website Yet</h1><p>Is this your domain? Connect it to your Wix website in just a few easy steps.",
  },
  {
    name: "plain godaddy",
    expected: "parked",
    status: 200,
    html: "<!doctype html><title>acme.com</title><h1>Launching Soon</h1><p>acme.com<p>Copyright © 2026 acme.com – All Rights Reserved. Powered by",
  },
  {
    name: "plain tomcat",
    expected: "parked",
    status: 200,
    html: "<!doctype html><title>Apache Tomcat/9.0.71</title><h1>Apache Tomcat/9.0.71</h1><h2>If you're seeing this, you've successfully installed Tomcat. Congratulations!</h2><p>Recommended Reading: Security Considerations How-To, Manager Application How-To",
  },
  {
    name: "plain django",
    expected: "parked",
    status: 200,
    html: "<!doctype html><title>The install worked successfully! Congratulations!</title><h1>The install worked successfully! Congratulations!</h1><p>View release notes for Django 5.0. You are seeing this page because DEBUG=True is in your settings file and you have not configured any URLs.",
  },
  {
    name: "plain litespeed",
    expected: "parked",
    status: 200,
    html: "<!doctype html><title>Congratulations</title><h1>LiteSpeed Web Server is working</h1><p>Replace this page with your own. Index of the document root was not found.",
  },
  {
    name: "plain lighttpd",
    expected: "parked",
    status: 200,
    html: "<!doctype html><title>Welcome page</title><h1>Placeholder page</h1><p>The owner of this web site has not put up any web pages yet. Please come back later.<p>You should replace this page with your own web pages as soon as possible.",
  },
  {
    name: "plain spaerror",
    expected: "error_page",
    status: 200,
    html: "<!doctype html><title>App</title><div role=alert><h2>Something went wrong</h2><p>We could not load this page. Try again later or contact support.</p><button>Reload</button></div>",
  },
  {
    name: "plain de500",
    expected: "error_page",
    status: 200,
    html: "<!doctype html><title>Fehler</title><h1>Interner Serverfehler</h1><p>Bei der Verarbeitung Ihrer Anfrage ist ein Fehler aufgetreten. Bitte versuchen Sie es später erneut.",
  },
  {
    name: "plain soldout",
    expected: "error_page",
    status: 200,
    html: "<!doctype html><title>Oops</title><h1>Oops! We can't find that page</h1><p>The link may be broken or the page may have been removed. Try our search or go to the home page.",
  },
];
