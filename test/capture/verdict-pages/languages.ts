/** Walls in twenty languages and of many frameworks and vendors, written before the rules were tried on them. */

import type { SamplePage } from "./sample-page.ts";

const base =
  "body{margin:0;font:16px/1.5 system-ui,sans-serif}header,footer{padding:14px 40px;background:#223;color:#fff}header a{color:#cde;margin-left:18px}";
const box =
  "main,.box{max-width:420px;margin:12vh auto;padding:32px;text-align:center}input{display:block;width:100%;margin:8px 0;padding:8px;box-sizing:border-box}";
const layer =
  ".layer{position:fixed;inset:0;background:rgba(0,0,0,.8);display:flex;align-items:center;justify-content:center}.card{background:#fff;max-width:640px;padding:30px}";

const page = (lang: string, title: string, body: string, css = box) =>
  `<!doctype html><html lang="${lang}"${/^(ar|he|fa)$/.test(lang) ? ' dir="rtl"' : ""}><meta charset="utf-8"><title>${title}</title><style>${base}${css}</style><body>${body}</body></html>`;

/** A site's layout around `main`, with links that have nothing to do with the wall. */
const framed = (name: string, links: string[], main: string, footer: string) =>
  `<header><b>${name}</b>${links.map((link, index) => `<a href="/${index}">${link}</a>`).join("")}</header><main>${main}</main><footer>${footer}</footer>`;

export const wallsInLanguages: SamplePage[] = [
  {
    name: "Greek not found in a shop's frame",
    expected: "error_page",
    path: "/proion/8841",
    html: page(
      "el",
      "Δεν βρέθηκε η σελίδα | Λάδι & Ελιά",
      framed(
        "Λάδι & Ελιά",
        ["Ελαιόλαδο", "Σαπούνια", "Καλάθι"],
        "<h1>Ουπς! Κάτι λείπει εδώ</h1><p>Η σελίδα που ψάχνετε δεν βρέθηκε. Ίσως έχει μετακινηθεί ή διαγραφεί.</p><a href=/>Επιστροφή στην αρχική</a>",
        "Όροι χρήσης · Αποστολές · Επικοινωνία",
      ),
    ),
  },
  {
    name: "Arabic sign-in of an intranet",
    expected: "login_wall",
    path: "/requests/77",
    html: page(
      "ar",
      "تسجيل الدخول",
      '<div class="box"><h1>بوابة الموظفين</h1><p>سجّل الدخول للمتابعة</p><form action="/session" method="post"><input name="u" placeholder="اسم المستخدم"><input type="password" name="p" placeholder="كلمة المرور"><button>دخول</button></form><a href="/reset">نسيت كلمة المرور؟</a></div>',
    ),
  },
  {
    name: "Hebrew bot check",
    expected: "bot_wall",
    status: 403,
    html: page(
      "he",
      "רגע אחד...",
      '<div class="box"><h1>news.example</h1><p>אנו מוודאים שאינך רובוט. הבדיקה עשויה להימשך מספר שניות.</p><p>יש להפעיל JavaScript וקובצי Cookie כדי להמשיך</p></div><script>setTimeout(()=>{},9e6)</script>',
    ),
  },
  {
    name: "Thai consent that covers a shop",
    expected: "consent_wall",
    html: page(
      "th",
      "ร้านกาแฟดอยสูง",
      '<header>ร้านกาแฟดอยสูง</header><h1>เมล็ดกาแฟคั่วใหม่</h1><p>ส่งฟรีทั่วประเทศ</p><div class="layer"><div class="card"><h2>เราให้ความสำคัญกับความเป็นส่วนตัวของคุณ</h2><p>เราใช้คุกกี้เพื่อปรับปรุงประสบการณ์การใช้งานและแสดงโฆษณาที่เหมาะกับคุณ</p><button>ยอมรับทั้งหมด</button><button>ปฏิเสธ</button></div></div>',
      layer,
    ),
  },
  {
    name: "Vietnamese maintenance",
    expected: "error_page",
    html: page(
      "vi",
      "Bảo trì hệ thống",
      '<div class="box"><h1>Website đang được bảo trì</h1><p>Chúng tôi sẽ sớm quay trở lại. Xin lỗi vì sự bất tiện này!</p></div>',
    ),
  },
  {
    name: "Indonesian parked domain",
    expected: "parked",
    html: page(
      "id",
      "kopimurah.example",
      '<div class="box"><h1>kopimurah.example</h1><p>Domain ini dijual!</p><p>Hubungi pemilik domain untuk mengajukan penawaran.</p><a href="/offer">Ajukan penawaran</a></div>',
    ),
  },
  {
    name: "Hungarian sign-in of a webmail",
    expected: "login_wall",
    path: "/levelek",
    html: page(
      "hu",
      "Postafiók",
      '<div class="box"><h1>Postafiók</h1><form method="post"><label>E-mail-cím<input type="email" name="e"></label><label>Jelszó<input type="password" name="p"></label><button>Belépés</button><p><a href="/uj">Elfelejtett jelszó</a> <a href="/reg">Regisztráció</a></p></form></div>',
    ),
  },
  {
    name: "Romanian not found with a search",
    expected: "error_page",
    path: "/articol/primarie-2019",
    html: page(
      "ro",
      "Pagina nu a fost găsită – Gazeta de Iași",
      framed(
        "Gazeta de Iași",
        ["Actualitate", "Sport", "Opinii"],
        '<h1>404</h1><p>Ne pare rău, pagina căutată nu există sau a fost mutată.</p><form role="search"><input type="search" placeholder="Caută"></form><a href="/">Înapoi la prima pagină</a>',
        "© Gazeta de Iași. Toate drepturile rezervate.",
      ),
    ),
  },
  {
    name: "Ukrainian captcha",
    expected: "bot_wall",
    html: page(
      "uk",
      "Перевірка безпеки",
      '<div class="box"><h1>Підтвердьте, що ви не робот</h1><p>З вашої мережі надходить незвично багато запитів. Щоб продовжити, поставте позначку.</p><div class="g-recaptcha" data-sitekey="6Lx"></div><button>Продовжити</button></div><script src="https://www.google.com/recaptcha/api.js" async></script>',
    ),
  },
  {
    name: "Hindi region block",
    expected: "error_page",
    html: page("hi", "क्षमा करें", '<div class="box"><h1>क्षमा करें</h1><p>यह सामग्री आपके देश में उपलब्ध नहीं है।</p><a href="/help">और जानें</a></div>'),
  },
  {
    name: "Greek consent on a page of its own",
    expected: "consent_wall",
    html: page(
      "el",
      "Αθηναϊκά Νέα",
      '<h1>Αθηναϊκά Νέα</h1><div class="layer" role="dialog"><div class="card"><h2>Σεβόμαστε την ιδιωτικότητά σας</h2><p>Εμείς και οι 412 συνεργάτες μας αποθηκεύουμε ή έχουμε πρόσβαση σε πληροφορίες στη συσκευή σας, όπως cookies, για εξατομικευμένες διαφημίσεις.</p><button>Συμφωνώ</button><button>Περισσότερες επιλογές</button></div></div>',
      layer,
    ),
  },
  {
    name: "Polish paywall without a teaser",
    expected: "login_wall",
    path: "/artykul/31415",
    html: page(
      "pl",
      "Budżet miasta rośnie | Kurier Mazowiecki",
      framed(
        "Kurier Mazowiecki",
        ["Kraj", "Świat", "Kultura"],
        "<h1>Budżet miasta rośnie</h1><h2>Ten artykuł jest dostępny tylko dla subskrybentów</h2><p>Wykup prenumeratę za 9,90 zł miesięcznie lub zaloguj się, aby czytać dalej.</p><button>Kup dostęp</button> <a href=/konto>Mam już konto – zaloguj</a>",
        "Regulamin · Polityka prywatności",
      ),
    ),
  },
  {
    name: "Laravel's 500 page with status 200",
    expected: "error_page",
    html: page(
      "en",
      "Server Error",
      '<div style="display:flex;height:100vh;align-items:center;justify-content:center;color:#a0aec0"><div style="padding:0 15px;border-right:1px solid">500</div><div style="padding:0 15px">SERVER ERROR</div></div>',
      "",
    ),
  },
  {
    name: "Turkish age gate",
    expected: "consent_wall",
    html: page(
      "tr",
      "Anadolu Bağ Evi",
      '<h1>Kırmızı şaraplar</h1><div class="layer"><div class="card"><h2>18 yaşından büyük müsünüz?</h2><p>Bu siteye girebilmek için yasal içki içme yaşında olmanız gerekir.</p><button>Evet, 18 yaşından büyüğüm</button><button>Hayır</button></div></div>',
      layer,
    ),
  },
  {
    name: "Afternic-like lander in German",
    expected: "parked",
    html: page(
      "de",
      "bergquell.example steht zum Verkauf",
      '<div class="box"><h1>bergquell.example</h1><p>Dieser Domainname steht zum Verkauf.</p><p>Fordern Sie jetzt ein Angebot an</p><form><input placeholder="Vorname"><input placeholder="Nachname"><input type="email" placeholder="E-Mail"><input type="tel" placeholder="Telefon"><button>Preis anfragen</button></form></div>',
    ),
  },
  {
    name: "Radware bot manager",
    expected: "bot_wall",
    source: "https://support.radware.com/",
    html: page(
      "en",
      "Radware Page",
      '<div class="box"><h2>We apologize for the inconvenience...</h2><p>...but your activity and behavior on this site made us think that you are a bot.</p><p>Please solve this CAPTCHA to request unblock to the website</p><div class="h-captcha"></div><p>You reached this page when trying to access https://fares.example/ from 203.0.113.9 on 25 Nov</p></div>',
    ),
  },
  {
    name: "Danish sign-in of a school platform",
    expected: "login_wall",
    path: "/elev/opgaver",
    html: page(
      "da",
      "SkoleNet",
      framed(
        "SkoleNet",
        ["Hjælp", "Kontakt"],
        '<h1>Velkommen til SkoleNet</h1><p>Vælg hvordan du vil logge på.</p><form method="post"><input name="u" placeholder="Brugernavn"><input type="password" placeholder="Adgangskode"><button>Log på</button></form><button>MitID</button>',
        "SkoleNet ApS · Privatlivspolitik",
      ),
    ),
  },
  {
    name: "Thai not found",
    expected: "error_page",
    path: "/travel/chiang-mai",
    html: page("th", "404", '<div class="box"><h1>ไม่พบหน้าที่คุณต้องการ</h1><p>หน้านี้อาจถูกลบหรือย้ายไปแล้ว</p><a href="/">กลับไปหน้าแรก</a></div>'),
  },
  {
    name: "Arabic consent in a dialog",
    expected: "consent_wall",
    html: page(
      "ar",
      "صحيفة الضحى",
      '<h1>أخبار اليوم</h1><div class="layer"><div class="card"><h2>نحن نقدر خصوصيتك</h2><p>نستخدم نحن وشركاؤنا ملفات تعريف الارتباط لتخزين المعلومات على جهازك وعرض إعلانات مخصصة.</p><button>أوافق</button><button>رفض الكل</button></div></div>',
      layer,
    ),
  },
  {
    name: "Vietnamese sign-in",
    expected: "login_wall",
    path: "/don-hang",
    html: page(
      "vi",
      "Đăng nhập",
      framed(
        "Chợ Mới",
        ["Rau củ", "Trái cây", "Giỏ hàng"],
        '<h1>Đăng nhập</h1><p>Vui lòng đăng nhập để xem đơn hàng của bạn.</p><form method="post"><input type="tel" placeholder="Số điện thoại"><input type="password" placeholder="Mật khẩu"><button>Đăng nhập</button></form><a href="/dang-ky">Tạo tài khoản</a>',
        "© Chợ Mới",
      ),
    ),
  },
  {
    name: "nginx rate limit with status 200",
    expected: "error_page",
    html: "<html><head><title>429 Too Many Requests</title></head><body><center><h1>429 Too Many Requests</h1></center><hr><center>nginx</center></body></html>",
  },
  {
    name: "Indonesian bot check",
    expected: "bot_wall",
    html: page(
      "id",
      "Pemeriksaan Keamanan",
      '<div class="box"><h1>Verifikasi bahwa Anda bukan robot</h1><p>Kami mendeteksi aktivitas yang tidak biasa dari alamat IP Anda. Selesaikan verifikasi di bawah untuk melanjutkan.</p><button>Saya bukan robot</button></div>',
    ),
  },
  {
    name: "Hungarian maintenance of a bank",
    expected: "error_page",
    html: page(
      "hu",
      "Karbantartás",
      framed(
        "Duna Takarék",
        ["Fiókok", "Árfolyamok"],
        "<h1>Karbantartás miatt szolgáltatásunk átmenetileg nem elérhető</h1><p>A munkálatok várhatóan 6:00-ig tartanak. Köszönjük türelmét!</p>",
        "Duna Takarék Zrt.",
      ),
    ),
  },
  {
    name: "Ukrainian hoster's placeholder",
    expected: "parked",
    html: page(
      "uk",
      "sadok.example",
      '<div class="box"><h1>Домен sadok.example зареєстровано</h1><p>Сайт ще не опубліковано. Якщо ви власник домену, завантажте файли сайту через панель керування хостингом.</p></div>',
    ),
  },
  {
    name: "Hebrew members only",
    expected: "login_wall",
    path: "/kurs/5/shiur/2",
    html: page(
      "he",
      "שיעור 2",
      framed(
        "קורסים ברשת",
        ["קורסים", "מרצים"],
        "<h1>התוכן זמין למנויים בלבד</h1><p>כדי לצפות בשיעור יש להתחבר לחשבון או להירשם.</p><button>התחברות</button> <button>הרשמה</button>",
        "תנאי שימוש",
      ),
    ),
  },
  {
    name: "Romanian consent",
    expected: "consent_wall",
    html: page(
      "ro",
      "Rețete de familie",
      '<h1>Sarmale</h1><p>Cu varză murată.</p><div class="layer"><div class="card"><h2>Confidențialitatea dumneavoastră este importantă</h2><p>Împreună cu partenerii noștri folosim module cookie pentru publicitate personalizată.</p><button>Accept toate</button><button>Mai multe opțiuni</button></div></div>',
      layer,
    ),
  },
  {
    name: "Symfony's production error",
    expected: "error_page",
    html: page(
      "en",
      "An Error Occurred: Internal Server Error",
      '<div class="box"><h1>Oops! An Error Occurred</h1><h2>The server returned a "500 Internal Server Error".</h2><p>Something is broken. Please let us know what you were doing when this error occurred. We will fix it as soon as possible. Sorry for any inconvenience caused.</p></div>',
    ),
  },
  {
    name: "Finnish bot check of a ticket shop",
    expected: "bot_wall",
    status: 403,
    html: page(
      "fi",
      "Tarkistus",
      '<div class="box"><h1>Varmista, että olet ihminen</h1><p>Selaimestasi tuli poikkeuksellisen paljon pyyntöjä. Jatka painamalla painiketta.</p><button>En ole robotti</button><p>Tunniste: 7f21-aa90</p></div>',
    ),
  },
  {
    name: "Japanese region block of a video site",
    expected: "error_page",
    html: page(
      "ja",
      "ご利用いただけません",
      framed(
        "ミドリTV",
        ["番組表", "ランキング"],
        "<h1>お住まいの地域ではご利用いただけません</h1><p>この動画は日本国内でのみ配信しています。</p>",
        "© ミドリTV",
      ),
    ),
  },
  {
    name: "Czech Plesk-like placeholder",
    expected: "parked",
    html: page(
      "cs",
      "pekarnauhora.example",
      '<div class="box"><h1>Doména pekarnauhora.example je zaparkována</h1><p>Na této doméně zatím nejsou žádné stránky.</p><p><a href="https://hosting.example/">Zaregistrujte si vlastní doménu</a></p></div>',
    ),
  },
  {
    name: "Hindi sign-in",
    expected: "login_wall",
    path: "/mera-khata",
    html: page(
      "hi",
      "लॉग इन करें",
      '<div class="box"><h1>लॉग इन करें</h1><form method="post"><input type="tel" placeholder="मोबाइल नंबर"><input type="password" placeholder="पासवर्ड"><button>आगे बढ़ें</button></form><a href="/naya">नया खाता बनाएं</a></div>',
    ),
  },
  {
    name: "Greek maintenance",
    expected: "error_page",
    html: page(
      "el",
      "Συντήρηση",
      '<div class="box"><h1>Η ιστοσελίδα βρίσκεται υπό συντήρηση</h1><p>Θα επιστρέψουμε σύντομα. Ευχαριστούμε για την υπομονή σας.</p></div>',
    ),
  },
  {
    name: "Vietnamese consent",
    expected: "consent_wall",
    html: page(
      "vi",
      "Báo Sông Hồng",
      '<h1>Tin trong ngày</h1><div class="layer"><div class="card"><h2>Quyền riêng tư của bạn</h2><p>Chúng tôi và các đối tác sử dụng cookie để cá nhân hóa nội dung và quảng cáo.</p><button>Đồng ý</button><button>Từ chối</button></div></div>',
      layer,
    ),
  },
  {
    name: "AWS WAF captcha in Korean",
    expected: "bot_wall",
    status: 405,
    source: "https://docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge.html",
    html: page(
      "ko",
      "Human Verification",
      '<div class="box" id="captcha-container"><h1>사람인지 확인해 봅시다</h1><p>다음 퍼즐을 풀어 주세요</p><canvas width="320" height="200"></canvas><button>확인</button></div><script src="https://de5282c3ca0c.2b8b.captcha-sdk.awswaf.com/de5282c3ca0c/jsapi.js"></script>',
    ),
  },
  {
    name: "Arabic not found of a ministry",
    expected: "error_page",
    path: "/services/12",
    html: page(
      "ar",
      "خطأ 404",
      framed(
        "وزارة الأشغال",
        ["الخدمات", "الأخبار", "اتصل بنا"],
        "<h1>عذرًا، الصفحة المطلوبة غير موجودة</h1><p>ربما تم نقل الصفحة أو حذفها.</p><a href=/>العودة إلى الصفحة الرئيسية</a>",
        "جميع الحقوق محفوظة",
      ),
    ),
  },
  {
    name: "Ukrainian sign-in in a layout without words",
    expected: "login_wall",
    path: "/kabinet",
    html: page(
      "uk",
      "Особистий кабінет",
      '<div class="box"><h1>Особистий кабінет</h1><form method="post"><input name="l" placeholder="Логін"><input type="password" placeholder="Пароль"><button>Увійти</button></form><a href="/r">Забули пароль?</a></div>',
    ),
  },
  {
    name: "Hungarian domain for sale",
    expected: "parked",
    html: page(
      "hu",
      "kertvilag.example eladó",
      '<div class="box"><h1>A kertvilag.example domain eladó!</h1><p>Ha szeretné megvásárolni, tegyen ajánlatot.</p><a href="mailto:x@kertvilag.example">Ajánlattétel</a></div>',
    ),
  },
  {
    name: "Rails' 500 page with status 200",
    expected: "error_page",
    html: page(
      "en",
      "We're sorry, but something went wrong (500)",
      '<div class="box"><h1>We\'re sorry, but something went wrong.</h1><p>If you are the application owner check the logs for more information.</p></div>',
    ),
  },
  {
    name: "Thai bot check",
    expected: "bot_wall",
    html: page(
      "th",
      "ตรวจสอบความปลอดภัย",
      '<div class="box"><h1>โปรดยืนยันว่าคุณไม่ใช่หุ่นยนต์</h1><p>เราตรวจพบการใช้งานที่ผิดปกติจากเครือข่ายของคุณ</p><button>ยืนยัน</button></div>',
    ),
  },
  {
    name: "Ukrainian region block",
    expected: "error_page",
    html: page("uk", "Недоступно", '<div class="box"><h1>Вибачте</h1><p>Цей вміст недоступний у вашій країні.</p></div>'),
  },
  {
    name: "Hebrew consent",
    expected: "consent_wall",
    html: page(
      "he",
      "מתכונים",
      '<h1>חומוס ביתי</h1><div class="layer"><div class="card"><h2>הפרטיות שלך חשובה לנו</h2><p>אנו והשותפים שלנו משתמשים בעוגיות (cookies) לצורך פרסום מותאם אישית.</p><button>אני מסכים</button><button>דחייה</button></div></div>',
      layer,
    ),
  },
  {
    name: "Thai members only forum",
    expected: "login_wall",
    path: "/board/topic/991",
    html: page(
      "th",
      "กระดานสนทนา",
      framed(
        "บ้านนักปั่น",
        ["หน้าแรก", "บอร์ด", "ตลาด"],
        "<h1>กรุณาเข้าสู่ระบบ</h1><p>คุณต้องเข้าสู่ระบบก่อนจึงจะอ่านกระทู้นี้ได้</p><a href=/in>เข้าสู่ระบบ</a> <a href=/up>สมัครสมาชิก</a>",
        "บ้านนักปั่น",
      ),
    ),
  },
  {
    name: "Indonesian not found of a WordPress theme",
    expected: "error_page",
    path: "/2021/05/resep",
    html: page(
      "id",
      "Halaman tidak ditemukan – Dapur Ibu",
      framed(
        "Dapur Ibu",
        ["Resep", "Tips"],
        '<h1>Oops! Halaman itu tidak dapat ditemukan.</h1><p>Sepertinya tidak ada apa pun di lokasi ini. Mungkin coba pencarian?</p><form><input type="search"><button>Cari</button></form>',
        "Dibangun dengan WordPress",
      ),
    ),
  },
  {
    name: "Portuguese bot block",
    expected: "bot_wall",
    status: 200,
    html: page(
      "pt",
      "Acesso bloqueado",
      '<div class="box"><h1>Acesso bloqueado</h1><p>Detectamos um comportamento automatizado vindo do seu endereço de IP. Por segurança, o seu acesso foi temporariamente bloqueado.</p><p>Código: 4b1f9</p></div>',
    ),
  },
  {
    name: "Arabic parking page",
    expected: "parked",
    html: page(
      "ar",
      "souq-alkutub.example",
      '<div class="box"><h1>souq-alkutub.example</h1><p>هذا النطاق معروض للبيع</p><a href="/buy">اشترِ هذا النطاق</a></div>',
    ),
  },
  {
    name: "Django debug page with status 200",
    expected: "error_page",
    html: page(
      "en",
      "OperationalError at /orders/",
      '<div id="summary"><h1>OperationalError at /orders/</h1><pre class="exception_value">could not connect to server: Connection refused</pre><table><tr><th>Request Method:</th><td>GET</td></tr><tr><th>Django Version:</th><td>5.1</td></tr><tr><th>Exception Type:</th><td>OperationalError</td></tr></table></div><div id="explanation"><p>You’re seeing this error because you have <code>DEBUG = True</code> in your Django settings file.</p></div>',
      "",
    ),
  },
  {
    name: "Romanian sign-in, two steps",
    expected: "login_wall",
    path: "/contul-meu/facturi",
    redirect: "/auth/login",
    html: page(
      "ro",
      "Autentificare",
      '<div class="box"><h1>Autentificare</h1><form><input type="email" placeholder="Adresa de e-mail"><button>Continuă</button></form><p>Nu ai cont? <a href="/nou">Înregistrează-te</a></p></div>',
    ),
  },
  {
    name: "Indonesian consent",
    expected: "consent_wall",
    html: page(
      "id",
      "Kabar Pagi",
      '<h1>Harga beras turun</h1><div class="layer"><div class="card"><h2>Privasi Anda penting bagi kami</h2><p>Kami dan mitra kami menggunakan cookie untuk menayangkan iklan yang dipersonalisasi.</p><button>Setuju</button><button>Kelola</button></div></div>',
      layer,
    ),
  },
  {
    name: "Bulgarian not found",
    expected: "error_page",
    path: "/novini/44",
    html: page(
      "bg",
      "Страницата не е намерена",
      framed(
        "Вестник Роза",
        ["Новини", "Спорт"],
        "<h1>Грешка 404</h1><p>Страницата, която търсите, не съществува.</p><a href=/>Към началната страница</a>",
        "Вестник Роза",
      ),
    ),
  },
  {
    name: "English age gate with a date of birth",
    expected: "consent_wall",
    html: page(
      "en",
      "Glenmarrow Distillery",
      '<h1>Our whiskies</h1><div class="layer"><div class="card"><h2>Please confirm your age</h2><p>You must be of legal drinking age to enter this site.</p><input placeholder="DD"><input placeholder="MM"><input placeholder="YYYY"><button>Enter</button></div></div>',
      layer,
    ),
  },
  {
    name: "Greek bot check",
    expected: "bot_wall",
    html: page(
      "el",
      "Έλεγχος ασφαλείας",
      '<div class="box"><h1>Επιβεβαιώστε ότι δεν είστε ρομπότ</h1><p>Εντοπίσαμε ασυνήθιστη δραστηριότητα από το δίκτυό σας. Ολοκληρώστε τον έλεγχο για να συνεχίσετε.</p></div>',
    ),
  },
  {
    name: "Korean maintenance",
    expected: "error_page",
    html: page(
      "ko",
      "시스템 점검 안내",
      '<div class="box"><h1>서비스 점검 중입니다</h1><p>점검 시간: 02:00 ~ 06:00</p><p>이용에 불편을 드려 죄송합니다.</p></div>',
    ),
  },
  {
    name: "Financial paper's offer instead of the article",
    expected: "login_wall",
    path: "/content/7e1c",
    html: page(
      "en",
      "Subscribe to read | The Exchange Post",
      framed(
        "The Exchange Post",
        ["Markets", "Opinion"],
        "<h1>Subscribe to unlock this article</h1><p>Keep reading for £1</p><h2>Standard digital</h2><p>£35 per month. Essential access on any device.</p><h2>Premium digital</h2><p>£59 per month. Complete access with expert analysis.</p><p>Already a subscriber? <a href=/in>Sign in</a></p>",
        "Terms · Privacy",
      ),
    ),
  },
  {
    name: "GoDaddy-like coming soon in Spanish",
    expected: "parked",
    html: page(
      "es",
      "panaderialuna.example",
      '<div class="box"><h1>panaderialuna.example</h1><p>Este dominio está registrado, pero puede estar disponible.</p><a href="https://registrar.example/">Obtener este dominio</a></div>',
    ),
  },
  {
    name: "Hindi not found",
    expected: "error_page",
    path: "/khabar/9",
    html: page(
      "hi",
      "पेज नहीं मिला",
      framed(
        "सुबह समाचार",
        ["देश", "खेल", "मनोरंजन"],
        "<h1>पेज नहीं मिला</h1><p>आप जिस पेज को खोज रहे हैं वह मौजूद नहीं है या हटा दिया गया है।</p><a href=/>होम पेज पर जाएं</a>",
        "© सुबह समाचार",
      ),
    ),
  },
  {
    name: "Vietnamese bot check",
    expected: "bot_wall",
    status: 429,
    html: page(
      "vi",
      "Xác minh",
      '<div class="box"><h1>Vui lòng xác minh bạn không phải là robot</h1><p>Hệ thống phát hiện lưu lượng truy cập bất thường từ mạng của bạn.</p><button>Tôi không phải là người máy</button></div>',
    ),
  },
  {
    name: "Spring's whitelabel page with status 200",
    expected: "error_page",
    html: "<html><body><h1>Whitelabel Error Page</h1><p>This application has no explicit mapping for /error, so you are seeing this as a fallback.</p><div>Wed Nov 25 10:12:44 UTC 2026</div><div>There was an unexpected error (type=Not Found, status=404).</div></body></html>",
  },
  {
    name: "Greek sign-in",
    expected: "login_wall",
    path: "/lista",
    html: page(
      "el",
      "Είσοδος",
      framed(
        "Βιβλιοθήκη",
        ["Κατάλογος", "Ωράριο"],
        '<h1>Είσοδος μελών</h1><form method="post"><input placeholder="Όνομα χρήστη"><input type="password" placeholder="Κωδικός πρόσβασης"><button>Σύνδεση</button></form>',
        "Βιβλιοθήκη Δήμου",
      ),
    ),
  },
  {
    name: "Age gate of a German brewery on a page of its own",
    expected: "consent_wall",
    path: "/biere",
    html: page(
      "de",
      "Brauhaus am See",
      '<div class="box"><h1>Bist du schon 16?</h1><p>Für den Besuch dieser Seite musst du mindestens 16 Jahre alt sein.</p><button>Ja</button> <button>Nein</button></div>',
    ),
  },
  {
    name: "Suspended account in Romanian",
    expected: "error_page",
    html: page(
      "ro",
      "Cont suspendat",
      '<div class="box"><h1>Acest cont a fost suspendat</h1><p>Contactați furnizorul de găzduire pentru mai multe informații.</p></div>',
    ),
  },
  {
    name: "Django debug page with a long traceback",
    expected: "error_page",
    path: "/orders/7",
    source: "https://docs.djangoproject.com/en/5.1/ref/settings/#debug",
    html: page(
      "en",
      "ValueError at /orders/7",
      `<h1>ValueError at /orders/7</h1><pre>invalid literal for int()</pre>${'<p>File "/srv/shop/orders/views.py", line 41, in detail: number = int(row["number"])</p>'.repeat(80)}`,
      "",
    ),
  },
];
