/**
 * Ordinary pages with forms and sentences typical of walls, which a rule that only looks for words or a password field would take for
 * walls.
 */

import type { SamplePage } from "./sample-page.ts";

const page = (lang: string, title: string, body: string) =>
  `<!doctype html><html lang="${lang}"><meta charset="utf-8"><title>${title}</title><style>body{font:16px/1.5 system-ui;margin:0}main,form{max-width:640px;margin:30px auto}label{display:block}</style><body>${body}</body></html>`;

const ok = (name: string, path: string, html: string): SamplePage => ({ name, expected: "ok", path, html });

export const doubts: SamplePage[] = [
  ok(
    "sign-up with a chosen password",
    "/join",
    page(
      "en",
      "Potters' Guild",
      '<main><h1>Become a potter with us</h1><form method="post"><label>Your name<input name="n"></label><label>E-mail<input type="email"></label><label>Password<input type="password" autocomplete="new-password"></label><button>Sign up</button></form></main>',
    ),
  ),
  ok(
    "German sign-up without autocomplete",
    "/los-gehts",
    page(
      "de",
      "Konto erstellen – Gartenplaner",
      '<main><h1>Konto erstellen</h1><form method="post"><label>E-Mail<input type="email"></label><label>Passwort<input type="password"></label><button>Los geht’s</button></form><p>Kostenlos für bis zu drei Beete.</p></main>',
    ),
  ),
  ok(
    "Hungarian sign-up",
    "/uj-tag",
    page(
      "hu",
      "Regisztráció",
      '<main><h1>Regisztráció</h1><form method="post"><label>E-mail<input type="email"></label><label>Jelszó<input type="password"></label><button>Küldés</button></form></main>',
    ),
  ),
  ok(
    "long profile form",
    "/profile",
    page(
      "en",
      "Your profile",
      '<header>Allotments <a href="/out">Log out</a></header><main><h1>Your profile</h1><form><label>First name<input></label><label>Last name<input></label><label>Street<input></label><label>Town<input></label><label>About you<textarea></textarea></label><label>Current password<input type="password"></label><button>Save</button></form></main>',
    ),
  ),
  ok(
    "change of an address behind a password",
    "/account/email",
    page(
      "en",
      "Change your e-mail address",
      '<header>Allotments <a href="/out">Sign out</a></header><main><h1>Change your e-mail address</h1><form method="post"><label>New e-mail<input type="email"></label><label>Password<input type="password"></label><button>Change</button></form></main>',
    ),
  ),
  ok(
    "change of a password",
    "/account/security",
    page(
      "en",
      "Security",
      '<main><h1>Security</h1><form method="post"><label>Current password<input type="password"></label><label>New password<input type="password"></label><label>Again<input type="password"></label><button>Change password</button></form></main>',
    ),
  ),
  ok(
    "article that quotes an error page in full",
    "/blog/kind-errors",
    page(
      "en",
      "Kind error pages",
      "<main><h1>Page not found, but kind</h1><p>Our old text blamed the reader. We rewrote it with the support team over two afternoons, tried it on ten people and kept the shortest draft.</p><blockquote><p>Sorry, the page you are looking for does not exist.</p><p>It may have been moved or deleted. Go back to the home page or try the search.</p><p>Error 404</p></blockquote><p>Fewer people write to us now.</p></main>",
    ),
  ),
  ok(
    "documentation with the text of a wall in code",
    "/docs/guard",
    page(
      "en",
      "Guard – the router",
      "<main><h1>Guard</h1><p>A guard runs before its route and renders what it returns instead of the view, for example this one of the sample shop:</p><pre><code>You must be logged in to view this page. Please log in to continue. Forgot your password? Create an account.</code></pre><p>Guards nest.</p></main>",
    ),
  ),
  ok(
    "recipe with a note for members",
    "/rezept/linsen",
    page(
      "de",
      "Linsensuppe",
      '<main><article><h1>Linsensuppe</h1><p>Linsen waschen, mit Lorbeer und Suppengrün eine halbe Stunde kochen. Kartoffeln würfeln und dazugeben, nach zwanzig Minuten mit Essig, Senf und Salz abschmecken. Wer mag, brät Speck aus und streut ihn darüber. Die Suppe schmeckt am nächsten Tag noch besser, weil die Linsen dann durchgezogen sind.</p></article><p>Bitte melden Sie sich an, um das Rezept zu speichern.</p><form><input type="email" placeholder="E-Mail"><input type="password" placeholder="Passwort"><button>Anmelden</button></form></main>',
    ),
  ),
  ok(
    "museum about robots in Greek",
    "/mouseio",
    page(
      "el",
      "Μουσείο Ρομποτικής",
      "<main><h1>Μουσείο Ρομποτικής</h1><p>Στην έκθεση θα γνωρίσετε το πρώτο ελληνικό ρομπότ του 1972. Ελάτε με το μετρό ως το Θησείο. Για τα σχολεία η είσοδος είναι δωρεάν. Κάθε Κυριακή γίνεται εργαστήριο για παιδιά με χαρτόνι και μοτέρ.</p></main>",
    ),
  ),
  ok(
    "Thai shop with a line about cookies",
    "/",
    page(
      "th",
      "ร้านผ้าไหม",
      "<main><h1>ผ้าไหมทอมือ</h1><p>ทอโดยช่างจากสุรินทร์ ย้อมสีจากเปลือกไม้ ผืนละ 1,200 บาท ส่งภายในสามวันทำการ</p><p>เปลี่ยนคืนได้ภายในเจ็ดวัน</p></main><footer>เว็บไซต์นี้ใช้คุกกี้ <button>ยอมรับ</button></footer>",
    ),
  ),
  ok(
    "Arabic help page on passwords",
    "/help/4",
    page(
      "ar",
      "مركز المساعدة",
      "<main><h1>كيف أغير عنوان التوصيل؟</h1><p>افتح طلبك ثم اختر العنوان الجديد قبل شحن الطلب. يصل السائق بين التاسعة صباحًا والسادسة مساءً، ويمكنك متابعة الشحنة من الخريطة.</p><p>إذا نسيت كلمة المرور فاتصل بنا على الرقم 19999.</p></main>",
    ),
  ),
  ok(
    "Vietnamese notice about roadworks",
    "/tin/12",
    page(
      "vi",
      "Bảo trì cầu Long Biên",
      "<main><h1>Bảo trì cầu Long Biên từ thứ hai</h1><p>Xe máy đi theo cầu Chương Dương trong ba tuần. Xe buýt số 3 và số 22 đổi tuyến, điểm dừng mới ở phố Hàng Đậu. Tàu hỏa vẫn chạy bình thường.</p></main>",
    ),
  ),
  ok(
    "Hebrew page of a club for adults",
    "/chug",
    page(
      "he",
      "חוג קדרות",
      "<main><h1>חוג קדרות למבוגרים</h1><p>המפגשים בימי שלישי בשבע בערב במרכז הקהילתי. החומרים כלולים במחיר, והתנור נמצא במקום. הקבוצה מיועדת למשתתפים מעל גיל 18 ואין צורך בניסיון קודם.</p></main>",
    ),
  ),
  ok(
    "Ukrainian registrar's price list",
    "/tsiny",
    page(
      "uk",
      "Ціни на домени",
      "<main><h1>Ціни на домени</h1><table><tr><td>Домен у зоні com, перший рік реєстрації</td><td>420 грн</td></tr><tr><td>Домен у зоні org, перший рік реєстрації</td><td>450 грн</td></tr><tr><td>Домен у зоні net, перший рік реєстрації</td><td>440 грн</td></tr><tr><td>Домен у зоні info, перший рік реєстрації</td><td>190 грн</td></tr><tr><td>Домен у зоні online, перший рік реєстрації</td><td>99 грн</td></tr></table><p>Купити домен можна за дві хвилини.</p></main>",
    ),
  ),
  ok(
    "wine shop that mentions an age",
    "/wines/rose",
    page(
      "en",
      "Rosé 2025",
      "<main><h1>Rosé 2025</h1><p>Grapefruit, wild strawberry and a dry finish. Grown on limestone above the river and pressed the same night. Good with grilled fish. 12 euros a bottle, six for 66.</p><p>We ask couriers to check that whoever opens the door is over 18.</p><button>Add to basket</button></main>",
    ),
  ),
  ok(
    "Indonesian news on a closed site",
    "/berita/3",
    page(
      "id",
      "Situs pemda kembali normal",
      "<main><h1>Situs pemda kembali normal</h1><p>Setelah pemeliharaan sistem selama dua hari, layanan izin usaha dibuka lagi pada Rabu pagi. Warga yang sudah mendaftar tidak perlu mengulang. Antrean di loket berkurang separuh.</p></main>",
    ),
  ),
  ok(
    "Romanian calendar with a sign-in at the side",
    "/evenimente",
    page(
      "ro",
      "Evenimente la bibliotecă",
      '<main><h1>Evenimente</h1><ul><li>Luni, ora 18: atelier de legătorie cu Ioana Pop</li><li>Marți, ora 17: lectură pentru copii în grădină</li><li>Miercuri, ora 19: clubul de șah, nivel începător</li><li>Joi, ora 18: proiecție de film mut cu pian</li><li>Vineri, ora 20: concert de jazz în sala mare</li></ul></main><aside><form><input placeholder="E-mail"><input type="password" placeholder="Parola"><button>Autentificare</button></form></aside>',
    ),
  ),
];
