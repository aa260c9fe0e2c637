/**
 * Pages with hardly any content. Each rule needs two independent words: one that names the failure, and one that says why, or what to do.
 */

import type { RuleOfKind } from "../rule.ts";

const bare = { textMax: 500, mainMax: 350, headingsMax: 2, mediaMax: 2, buttonsMax: 2, fieldsMax: 1, password: false } as const;

/** Doesn't match pages that explain an error or maintenance, such as entries in a glossary. */
const isNoExplanation =
  /^(?!.*(\bmeans\b|status codes?\b|\bwhat is\b|definition|glossary|\bfaq\b|\bhow (to|do)\b|bedeutet|glossar|signifie|significa|betekent|oznacza|означает|意味|意思是|is(n't| not) (a|an) error|no error|without error|error[- ]free))/i;

export const bareErrors: RuleOfKind[] = [
  {
    id: "bare-error",
    confidence: 0.8,
    reason: "The page shows only an error message.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15",
    when: {
      ...bare,
      title: isNoExplanation,
      headline:
        /^\W*(4\d\d|5\d\d)(\W*$|\W{0,2}[-–—:|.!,(~@]|\s(error|page|forbidden|internal|server|service|gateway|request|seite|fehler|erreur|página|pagina|erro|errore|błąd|страниц|ошибка)\b)|\berror (\d{3}|page|occurred)|\b(an?|unexpected|internal|server|fatal|unknown) error\b|^\W*error\W*$|^\W*(oops|whoops|uh[- ]?oh|ups|hoppla|oups|ops|ups|jejda|hups|upss|ой|упс|ουπς|おっと|이런|哎呀|糟糕)\b|\bnot found\b|went wrong|(can(no|')t|couldn't|could not) (be )?(find|found|load|displayed?|open|reached?)|(does(n't| not)|no longer) exists?\b|nicht gefunden|fehler(seite|meldung| \d)|erreur (\d|interne|serveur)|introuvable|non trouvée?|errore (\d|interno)|non trovat[ao]|error (interno|del)|no encontrad[ao]|no existe\b|erro (\d|interno|no)|não encontrad[ao]|niet gevonden|błąd (\d|serwera|wewn)|nie znaleziono|nie istnieje|nenalezen|neexistuje|nem található|nem létezik|negăsit|nu a fost găsit|ikke fundet|findes ikke|ikke funnet|finnes ikke|hittades inte|finns inte|ei löy|bulunamad[ıi]|σφάλμα|δεν βρέθηκε|δεν υπάρχει|ошибка|не найден|не существует|помилка|не знайден|не існує|грешка|не е намерен|خطأ|غير موجود|لم يتم العثور|خطا|یافت نشد|שגיאה|לא נמצא|त्रुटि|नहीं मिला|ข้อผิดพลาด|ไม่พบ|không tìm thấy|không tồn tại|kesalahan|tidak ditemukan|エラー|見つかりません|存在しません|오류|찾을 수 없|존재하지 않|错误|出错|錯誤|不存在|找不到|无法(访问|打开|显示)/i,
      text: [
        isNoExplanation,
        /\b(page|site|website|url|link|server|resource|address)\b|\bhome\b|go back|(try|again) |refresh|reload|seite|startseite|zurück|erneut|versuch|accueil|retour|réessay|lien|página|inicio|início|volver|voltar|intent|tent[ea]|enlace|pagina|indietro|riprova|terug|opnieuw|probeer|stron|wróć|spróbuj|strán|zpět|oldal|vissza|înapoi|forside|tilbage|tilbake|startsida|tillbaka|etusivu|sayfa|geri|tekrar|σελίδα|αρχική|страниц|главн|верн|сторінк|головн|начал|صفحة|الرئيسية|صفحه|בית|דף|पृष्ठ|पेज|หน้า|trang|halaman|beranda|ページ|トップ|ホーム|페이지|홈|页面|首页|返回|頁|首頁|刷新|重试|重試/i,
      ],
    },
  },
];
