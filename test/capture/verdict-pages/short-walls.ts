/** Short walls in many languages, written after the kinds of pages that hosting panels, firewalls and shops show. */

import type { SamplePage } from "./sample-page.ts";

type Kind = SamplePage["expected"];

const texts: [kind: Kind, title: string, html: string][] = [
  ["bot_wall", "403 forbidden", "<p>您的请求已被拦截，因为其中含有非法参数。</p><p>请检查后重试，或联系管理员。</p>"],
  [
    "bot_wall",
    "Zugriff verweigert",
    "<p>Der Zugriff auf diese Seite wurde verweigert, weil Ihre IP-Adresse auf einer Sperrliste steht.</p><p>ID: 4711</p>",
  ],
  ["bot_wall", "Доступ запрещён", "<p>Доступ к этой странице закрыт из-за аномального трафика из вашей сети.</p><p>Код: 21</p>"],
  ["bot_wall", "アクセス拒否", "<p>あなたのIPアドレスはブラックリストにあるため、このページへのアクセスは拒否されました。</p>"],
  [
    "bot_wall",
    "Hmm",
    "<h1>One more thing</h1><p>Please complete the security check to continue.</p><p>This security check has been powered by Palisade</p>",
  ],
  ["bot_wall", "Halt", "<h1>Halt</h1><p>Your request has been blocked. If this is a mistake, write to us.</p><p>Reference ID 6f1c</p>"],
  ["bot_wall", "Einen Schritt noch", "<p>Bitte führen Sie diese Sicherheitsüberprüfung aus, um die Seite zu besuchen.</p>"],
  ["bot_wall", "安全驗證", "<h1>請完成驗證</h1><p>我們檢測到異常流量，可能來自自動化工具。完成驗證後即可繼續。</p>"],
  ["bot_wall", "Oeps", "<p>Je bezoek is geblokkeerd door onze firewall. Vul de captcha in om verder te gaan.</p>"],
  ["error_page", "Aplicación suspendida", "<h1>Aplicación suspendida</h1><p>Comuníquese con su proveedor.</p>"],
  ["error_page", "SUSPENDED", "<h1>SUSPENDED</h1><h2>Your site has been suspended</h2><p>Please contact support.</p>"],
  [
    "error_page",
    "Domain disabled",
    "<p>Panel 4 © 2026</p><h1>Domain disabled</h1><p>This domain is currently disabled. Ask your reseller if you own it.</p>",
  ],
  ["error_page", "403", "<p>日本国外からの接続ではご利用いただけません。</p>"],
  ["error_page", "Кино", "<p>Доступ запрещён в вашей стране.</p>"],
  ["error_page", "الخدمة متوقفة", "<p>نعتذر، الموقع متوقف لأغراض الصيانة وسيعود قريبا.</p>"],
  ["error_page", "404 에러", "<p>요청한 페이지는 존재하지 않습니다. 주소를 확인해 주세요.</p>"],
  [
    "error_page",
    "403 - Keine Berechtigung",
    "<h1>403 - Keine Berechtigung</h1><p>Sie haben keine Berechtigung, diese Seite aufzurufen.</p>",
  ],
  ["error_page", "網站暫時關閉", "<p>網站暫時關閉中，請稍後再來。</p>"],
  ["error_page", "Whoops", "<p>Whoops. What you're looking for can't be found.</p>"],
  ["parked", "Bienvenue", "<h1>Bienvenue</h1><p>Ceci est la page d'accueil par défaut de cet hébergement.</p>"],
  ["parked", "确认", "<p>此域名出售！</p><p>电话：010 5555 0100</p>"],
  [
    "parked",
    "Herzlich willkommen",
    "<h1>Herzlich willkommen</h1><p>Dies ist die Standard-Index-Seite Ihres Webs. Sie können sie durch eine andere ersetzen.</p>",
  ],
  [
    "parked",
    "Default site",
    "<h1>Congratulations!</h1><p>You've successfully started the proxy. If you're seeing this, you want a host that isn't set up yet.</p>",
  ],
  ["parked", "Your account is active", "<h1>Your hosting space is ready</h1><p>To begin, replace or delete this file (index.html).</p>"],
  ["parked", "Domain Parked", "<h1>Domain Parked</h1><p>This domain is parked and not in active use. Write to its owner.</p>"],
  ["consent_wall", "Предупреждение", "<p>Посещение сайта допускается только по достижении 18 лет.</p><a href=/in>Мне есть 18</a>"],
  [
    "consent_wall",
    "年齢認証",
    "<h1>年齢認証</h1><p>このサイトは18歳以上の方のみご覧いただけます。</p><button>はい</button><button>いいえ</button>",
  ],
  ["consent_wall", "Idade", "<p>Precisa ter pelo menos 18 anos para entrar.</p><button>Sim</button><button>Não</button>"],
  ["consent_wall", "Gin", "<p>Are you over 21? Our gin is for adults of legal age.</p><a href=/in>Yes, let me in</a> <a href=/out>No</a>"],
  [
    "login_wall",
    "Wi-Fi Hotel Sol",
    "<form><input name=user><input type=password name=code><button>Continuar</button></form><p>Al continuar acepta las condiciones de uso.</p>",
  ],
];

const behind = `<header>Fern &amp; Son</header><main>${"<p>We make ladders of ash, and mend old ones.</p>".repeat(8)}</main>`;
const banner = `<div style="position:fixed;inset:0;z-index:90;background:rgba(0,0,0,.5)"></div>
  <div style="position:fixed;left:0;right:0;bottom:0;height:220px;background:#fff;z-index:91"><h2>Datenschutz</h2>
  <p>Diese Website verwendet Cookies und Statistik.</p><button>Akzeptieren</button><button>Ablehnen</button></div>`;

export const shortWalls: SamplePage[] = [
  ...texts.map(
    ([expected, title, html], index): SamplePage => ({
      name: `a short ${expected}: ${title} (${index})`,
      expected,
      path: `/seite/${index}`,
      html: `<!DOCTYPE html><meta charset=utf-8><title>${title}</title><body>${html}</body>`,
    }),
  ),
  {
    name: "a firewall's name in the title of a refusal",
    expected: "bot_wall",
    path: "/index.php",
    status: 403,
    html: "<!DOCTYPE html><meta charset=utf-8><title>Web应用防火墙</title><p>欢迎联系我们：57450000</p>",
  },
  {
    name: "a consent dialog at the edge, in front of a layer that darkens the page",
    expected: "consent_wall",
    html: `<!DOCTYPE html><meta charset=utf-8><title>Fern</title><body>${behind}${banner}</body>`,
  },
];
