/** Error pages, recognized regardless of their status. */

import type { RuleOfKind } from "../rule.ts";

const notFound =
  /^\W*((http )?error )?404\W+(page |object |resource |file )?not found|page (was )?not found|^\W{0,3}(object|resource|document) not found\W{0,3}(error 404)?\W{0,3}$|(can't|cannot|couldn't) find (that|this|the) page|(page|content|url|file) (could ?n[o']t|can ?not|cannot) be found|(this|that|the) page (doesn't|does not|no longer) exist|page (isn't|is not|no longer) available|^(404\W+)?not found\W*$|seite (wurde )?nicht gefunden|seite existiert nicht|page (introuvable|non trouvée)|página no (encontrada|existe)|no se (ha )?encontr|página não encontrada|pagina non trovata|pagina niet gevonden|nie (została )?znaleziona|nie znaleziono strony|strona.{0,20} nie istnieje|страница не найдена|页面不存在|找不到(该)?(网页|页面)|ページが見つかりません|페이지를 찾을 수 없습니다|(this|that|the) (job|position|vacancy|product|item|listing|offer|video|event) (is no longer|is not|isn't) available|sayfa bulunamadı|sidan (kunde inte hittas|hittades inte|finns inte)|siden (blev ikke fundet|ble ikke funnet|findes ikke|finnes ikke)|sivua ei (löy[dt]|ole)|stránka (nebyla )?nenalezena|stránka neexistuje|oldal nem található|η σελίδα δεν (βρέθηκε|υπάρχει)|pagina nu (a fost găsită|există)|сторінку не знайдено|الصفحة غير موجودة|הדף לא נמצא|ไม่พบหน้า|không tìm thấy trang|halaman tidak ditemukan/i;

export const errorPages: RuleOfKind[] = [
  {
    id: "denied-headline",
    confidence: 0.85,
    reason: "The page says that access to it is forbidden.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.4",
    when: {
      headlineSays: "denied",
      text: [
        /\b40[13]\b|permission|authori[sz]|\bpage\b|\bseite\b|\b(web)?site\b|página|\bpagina\b|resource|recurso|risorsa|\bserver\b|servidor|\burl\b|berechtig|\brechte\b|permis|autoris|autoriz|bevoegd|uprawnie|oprávn|jogosult|yetki|sayfa|разрешени|\bправа?\b|страниц|сторінк|ページ|権限|权限|權限|页面|頁面|페이지|권한|الصفحة|صفحه|trang|halaman|izin/i,
      ],
      textMax: 450,
      mainMax: 420,
      headingsMax: 2,
      fieldsMax: 1,
      buttonsMax: 3,
      mediaMax: 3,
      password: false,
    },
  },
  {
    id: "denied-alone",
    confidence: 0.8,
    reason: "The page says that access to it is forbidden.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.4",
    when: { headlineSays: "denied", textMax: 60, headingsMax: 4, fieldsMax: 0, buttonsMax: 2, mediaMax: 2, password: false },
  },
  {
    id: "soft-404",
    confidence: 0.85,
    reason: "The page reports that it was not found.",
    source: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#soft-404-errors",
    when: { headline: notFound, textMax: 500, headingsMax: 2 },
  },
  {
    id: "soft-404-main",
    confidence: 0.8,
    reason: "The page reports that it was not found.",
    source: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#soft-404-errors",
    when: { says: ["notFound"], mainMax: 160, textMax: 1_500, headingsMax: 6, fieldsMax: 2, buttonsMax: 4, mediaMax: 3, password: false },
  },
  {
    id: "soft-404-number",
    confidence: 0.8,
    reason: "The page's heading is 404.",
    source: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#soft-404-errors",
    when: {
      headline: /^\W*((http )?error )?404\W*$/i,
      text: [
        /(not|n't|no longer|never) (be )?(found|exist|here|available|there)|nothing here|lost|wrong|oops|missing|moved|broken|(go|take|back) .{0,20}home|home ?page|gefunden|startseite|introuvable|trouvée?|accueil|encontr|inicio|início|trovata|niet gevonden|znalezion|найдена|главную|不存在|首页|見つかりません|찾을 수 없/i,
      ],
      textMax: 400,
      headingsMax: 2,
    },
  },
  {
    id: "soft-404-words",
    confidence: 0.8,
    reason: "The page reports that it was not found.",
    source: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#soft-404-errors",
    when: {
      text: [
        /(page|url|content|what) (that )?(you|you're|you are|you were) .{0,40}(not found|(can|could)(no|')t be found|(does|do)(n't| not) exist|no longer)/i,
      ],
      textMax: 300,
      headingsMax: 2,
      fieldsMax: 1,
    },
  },
  {
    id: "no-permission",
    isUnmistakable: true,
    confidence: 0.85,
    reason: "The page says that access to it is forbidden.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.4",
    when: {
      headline:
        /^\W{0,3}((http )?(error )?403\W{1,3})?(access (is )?(forbidden|denied)|zugriff verweigert|accès (refusé|interdit)|acceso (denegado|prohibido)|accesso negato|acesso negado|toegang (geweigerd|verboden)|(zabroniony dostęp|dostęp zabroniony)|åtkomst nekad|доступ запрещ[её]н|アクセス(が)?拒否.{0,10}|액세스(가)? 거부.{0,5}|访问被拒绝)\W{0,3}(403)?\W{0,3}$/i,
      text: [
        /\b403\b|permission|authori[sz]ed|berechtigt|zugriffsrecht|autoris|autoriz|permiso|permesso|permissão|toestemming|uprawnie|prawa dostępu|behörighet|разрешени|права|権限|권한|权限/i,
      ],
      textMax: 400,
      headingsMax: 2,
      fieldsMax: 1,
    },
  },
  {
    id: "proxy-error",
    isUnmistakable: true,
    confidence: 0.9,
    reason: "A proxy reports that it could not load the page.",
    source: "https://wiki.squid-cache.org/Features/CustomErrors",
    when: {
      title:
        /requested url could ?n[o']t be (retrieved|loaded)|angeforderte url konnte nicht|url demandée n'a pas pu|url solicitado no se ha podido|url solicitada não p[oô]de|url richiest[ao] non può|opgevraagde url kon niet|запрошенн?ый url не может|запитаний url не може|要求されたurl(から|を)|요청된 url을 가져올 수 없|(不能|无法)获取请求的 ?url|stenilen url'?e ulaşılamadı|αδύνατη η πρόσβαση στην αιτούμενη|hiba: az oldal nem tölthető be|הכתובת ה ?url (ה)?מבוקשת לא נגישה|آدرس درخواست شده را نمی/i,
      textMax: 1_500,
      headingsMax: 3,
    },
  },
  {
    id: "gateway-error",
    confidence: 0.9,
    reason: "The site, or a proxy in front of it, reports a server error.",
    source: "https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/",
    when: {
      headline:
        /^\W*(error )?5\d\d( error)?\W*$|^(.* \| )?(error )?(5\d\d\W+)?(bad gateway|gateway time-?out|service (temporarily )?unavailable|connection timed out|web server is (down|returning an unknown error)|origin (is unreachable|dns error)|internal server error|interner serverfehler|erreur interne du serveur|error interno del servidor|something went wrong)\W*$|error 5\d\d(?!:)/i,
      textMax: 250,
      headingsMax: 3,
    },
  },
  {
    id: "numbered-error",
    confidence: 0.85,
    reason: "The site, or a proxy in front of it, reports a server error.",
    source: "https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/",
    when: { headline: /^\W*(http )?error (code )?5\d\d\W*$/i, textMax: 600, mainMax: 550, headingsMax: 3, fieldsMax: 1, mediaMax: 3 },
  },
  {
    id: "gateway-title",
    confidence: 0.85,
    reason: "The site, or a proxy in front of it, reports a server error.",
    source: "https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/",
    when: {
      headline: /^\W*(.{1,60} \| )?(error )?52[0-7]\W{1,4}[a-z ]{4,50}$/i,
      text: [/what happened\?|what can i do\?|\bray id\b|reverse proxy/i],
      textMax: 1_500,
      headingsMax: 8,
    },
  },
  {
    id: "no-site-here",
    isUnmistakable: true,
    confidence: 0.9,
    reason: "The hosting service has no site at this address, or doesn't serve it.",
    source: "https://docs.github.com/en/pages/getting-started-with-github-pages",
    when: {
      text: [
        /there isn't a github pages site here|no such app|sorry, this (shop|store) is (currently |temporarily )?unavailable|site not found|there is nothing here, yet|nosuchbucket|no settings were found for this (company|domain)|this site (is no longer available|has been archived or suspended)|this account has been suspended\.|this (page|project|deployment) (could not|cannot|can't) be (found|reached)|web site (not found|is currently not available)|bandwidth limit exceeded/i,
      ],
      textMax: 1_200,
    },
  },
  {
    id: "not-found-phrases",
    confidence: 0.85,
    reason: "The page reports that it was not found.",
    source: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#soft-404-errors",
    when: { headlineSays: "notFound", textMax: 1_500, mainMax: 350, headingsMax: 10, fieldsMax: 3 },
  },
  {
    id: "not-found-number",
    confidence: 0.8,
    reason: "The page's heading is 404.",
    source: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#soft-404-errors",
    when: { headline: /(^|\s)404\W*$/, says: ["notFound"], textMax: 1_500, mainMax: 350, headingsMax: 10, fieldsMax: 3 },
  },
];
