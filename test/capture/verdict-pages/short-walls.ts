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
  [
    "error_page",
    "That didn't work",
    "<h1>Error 522</h1><p>Connection timed out</p><p>The connection between the network in front of us and our own server timed out. It happens now and then, and it shouldn't. Tell us by e-mail if it does, or simply refresh the page. If you see this again and again, we would like to know.</p>",
  ],
  ["error_page", "Hups", "<h1>Fehlerseite</h1><p>Damit haben wir nicht gerechnet. Zurück zur Startseite.</p>"],
  ["error_page", "Dukkan", "<h1>Bakımdayız</h1><p>Kısa süre sonra yeniden buradayız.</p>"],
  [
    "parked",
    "Molarlab.example Domain For Sale | A name for dentists",
    "<h1>Molarlab.example – Domain For Sale</h1><p>For laboratories, suppliers and schools.</p><a href=/buy>Buy now, 1,900 pounds</a><h2>Why buy it?</h2><p>It has a history of nine years, is easy to say, and easy to type.</p><h2>Made for</h2><ul><li>Laboratories that mill crowns and bridges for dentists</li><li>Suppliers of machines, resins and ceramics of any kind</li><li>Software that plans the work of a practice, and its billing</li><li>Journals, market places and directories of the trade</li><li>Schools and courses for technicians and hygienists</li></ul>",
  ],
  [
    "parked",
    "GOALSY - Coming Soon",
    "<p>LOADING</p><h1>COMING SOON</h1><p>THE FUTURE OF HANDBALL</p><p>SENSORS</p><p>COACHING</p><label>Get notified when we launch <input type=email></label><button>Notify me</button>",
  ],
  ["parked", "Bald", "<h1>Unsere neue Website ist im Aufbau</h1><p>Wir arbeiten daran. Newsletter: <input type=email></p>"],
  ["parked", "Hamarosan", "<h1>Hamarosan</h1><p>Az oldal készül, dolgozunk rajta. Iratkozz fel! <input type=email></p>"],
  ["parked", "osm.example", "<p>Ta domena została zarejestrowana w imieniu klienta.</p>"],
  [
    "consent_wall",
    "Konten dewasa",
    "<h1>KONTEN DEWASA</h1><p>Situs ini memakai cookie. Baca syaratnya.</p><p>Saya menyatakan bahwa saya sudah membaca syarat situs ini, dan menyetujui penggunaan cookie. Saya juga menyatakan bahwa saya tidak di bawah umur.</p><a href=/in>Ya, saya 18+</a> <a href=/out>Keluar</a>",
  ],
  [
    "consent_wall",
    "Cantinho - Verificação de idade",
    "<h1>Cantinho</h1><p>O conteúdo deste site é destinado a maiores de 18 anos. Se você ainda não tem essa idade, pedimos que não prossiga.</p><p>Escolha o seu estado para continuar. Cada estado tem as suas cidades e os seus anúncios.</p><button>Acre</button><button>Bahia</button><button>Goiás</button><button>Pará</button><button>Tenho 18 anos ou mais</button><a href=/out>Sair do site</a>",
  ],
  [
    "consent_wall",
    "Adult content warning",
    "<h1>Adult content warning</h1><p>This story could have adult content. If you go on, you agree that you are willing to see it.</p><a href=/in>Yes, go on</a> <a href=/out>No, go back</a><h2>The boat builder's autumn</h2><p>by reedbed, in 12 chapters. Two people, one boat, and four months of rain. Language: English. Words: 48,000. Last change: in January.</p>",
  ],
  ["login_wall", "Start | Kalba", "<h1>Kalba</h1><a href=/g>Google로 계속하기</a><a href=/k>카카오로 계속하기</a>"],
  [
    "login_wall",
    "Login - Panelo",
    "<h1>Panel for every host</h1><p>Built for speed, and for nights without alarms.</p><h2>What is new</h2><p>Read about our latest release and its features.</p><h2>Panelo</h2><form><input name=user><input type=password><button>Go</button></form>",
  ],
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
  ["error_page", "Обавештење", "<h1>Портал је привремено недоступан</h1><p>Молимо вас, покушајте касније.</p>"],
  ["error_page", "頁面不存在", "<h1>頁面不存在</h1><p>您要的頁面可能已被刪除。</p><a href=/>返回首頁</a>"],
  ["error_page", "Browser", "<h1>Please update your browser</h1><p>Our map needs a newer one, such as Firefox or Chrome.</p>"],
  ["error_page", "Браузер", "<h1>Ваш браузер устарел</h1><p>Откройте сайт в Firefox, Chrome или Opera.</p>"],
  [
    "error_page",
    "Too Many Requests — Lantern",
    "<article><h1>Too many requests</h1><p>Oh no! You have asked for more pages in a minute than one person can read, which our server takes for the work of a program. It lets nobody have more than sixty of them. It forgets about it quickly, so that a short walk is all that this takes, and then everything is as before.</p><p>Our team has been told about it, and will look at the numbers in the morning.</p></article>",
  ],
  [
    "login_wall",
    "تسجيل الدخول",
    "<h1>واحة</h1><button>تسجيل الدخول بجوجل</button><button>تسجيل الدخول بفيسبوك</button><p>الشروط والأحكام</p>",
  ],
  ["bot_wall", "Access blocked", "<p>Try it from another network, or later.</p><p>Event: 77a1 IP: 203.0.113.9</p>"],
  ["bot_wall", "請輸入驗證碼", "<h1>驗證</h1><p>請輸入驗證碼以繼續訪問，證明您非機器人。</p>"],
  [
    "error_page",
    "Не работает?",
    "<h1>Не работает?</h1><p>Проверьте настройки вашего браузера: возможно, вы отключили JavaScript.</p><p>Без JavaScript карта города не открывается.</p>",
  ],
  ["error_page", "Suspended", "<h1>Your internet service has been suspended</h1><p>A bill is open. Customer support can help.</p>"],
  ["login_wall", "Tower", "<h1>Access denied</h1><p>Membership is required to see this page.</p><a href=/in>Log in</a>"],
  [
    "login_wall",
    "Sign in",
    "<h1>Sign in</h1><p>Enter your phone number</p><div contenteditable>+44</div><button>Send</button><p>Don't have an account?</p>",
  ],
  ["error_page", "Roundel", "<h2>Video access denied</h2><button>Refresh</button>"],
  ["error_page", "Error 451", "<h1>Error 451 - Unavailable For Legal Reasons</h1>"],
  ["error_page", "호스팅 안내", "<h1>호스팅이 정지되었습니다</h1><p>고객센터로 문의해 주세요.</p>"],
  [
    "error_page",
    "Browser",
    "<h1>Je browser is te oud</h1><p>Deze kaart heeft een nieuwere nodig.</p><ul><li>Firefox<li>Chrome<li>Safari</ul>",
  ],
  ["login_wall", "Fern", "<h1>Access Denied</h1><p>A site membership is required to view this page. Sign up or log in.</p>"],
  ["error_page", "Harbour", "<p>You do not have access to this profile.</p><a href=/>Home</a>"],
  [
    "error_page",
    "Larch Homes",
    `<nav>${"<a href=/a>Houses of wood</a> <a href=/b>Prices and plans</a> ".repeat(8)}</nav><h3>Hm...</h3><p>The page you are looking for does not exist.</p><footer>${"Larch Homes, 12 Mill Lane, Oakham. ".repeat(6)}</footer>`,
  ],
  [
    "login_wall",
    "hotspot > ieeja",
    "<p>Lūdzu pieslēdzieties, lai lietotu mikrotik hotspot servisu.</p><form><input name=u><input type=password name=p><button>OK</button></form>",
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
