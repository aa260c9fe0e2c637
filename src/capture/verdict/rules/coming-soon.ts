/** Pages that only say that their site is coming soon. */

import type { RuleOfKind } from "../rule.ts";

/** Says nothing else: an album, a film or a product that is coming soon has its name beside it. */
const soon =
  /(^|[|:–—\-·.!] ?)\W{0,4}((we('re| are)|(the |our |this )?(new )?(web ?site|site|page|shop|store|home ?page|online shop)( is)?|loading|something (new |great |amazing |awesome |exciting |big |special |cool |beautiful |incredible )?is) )?((currently |still )?under (construction|development)|(coming|launching|opening|arriving|live|here|online|available) (very |really )?soon|on (its|the) way|in kürze( verfügbar| online| für sie da)?|demnächst( hier| online| verfügbar)?|bald (online|verfügbar|hier|für sie da)|hier entsteht .{3,60}|((unsere|diese|die) )?(neue )?(website|webseite|seite|homepage) (ist |befindet sich )?(im|in|derzeit im) (aufbau|bearbeitung|überarbeitung|entstehung)|im aufbau|bientôt( disponible| en ligne)?|((notre|ce|le|cette) )?(nouveau )?(site( web| internet)?|page) (est |sera )?en (cours de )?(construction|création|développement)|en (cours de )?construction|ouverture (prochaine|bientôt)|prochainement|(muy )?pr[oó]ximamente|muy pronto|((nuestr[oa]|est[ea]|el|la) )?(nuev[oa] )?(sitio( web)?|página( web)?|web|tienda) (está )?en (construcción|desarrollo)|en construcción|em breve|brevemente|((noss[oa]|est[ea]|o) )?(nov[oa] )?(site|página) (está )?em (construção|desenvolvimento)|em construção|prossimamente|((il nostro|questo|il) )?(nuovo )?(sito( web)? |pagina )?(è )?in (costruzione|allestimento|arrivo)|presto online|binnenkort( online| beschikbaar| hier)?|((onze|deze) )?(nieuwe )?(website |site |pagina )?(is )?in aanbouw|(strona )?w (budowie|przygotowaniu|trakcie budowy)|(już )?wkrótce|(stránky |web )?(ve|v) (výstavbě|přípravě)|připravujeme|již brzy|pripravujeme|už čoskoro|hamarosan( indulunk| érkezik)?|fejlesztés alatt|felújítás alatt|în curând|în construcție|kommer (snart|inom kort)|under (opbygning|konstruksjon|uppbyggnad|utvikling|utveckling)|tulossa( pian)?|rakenteilla|(çok )?yak[ıi]nda( h[iİ]zmet[iİ]n[iİ]zde| s[iİ]zlerle| aç[ıi]l[ıi]yoruz| buraday[ıi]z)?|yap[ıi]m aşamas[ıi]nda(y[ıi]z)?|скоро (открытие|откроемся|запуск|здесь|запустимся)|скоро|(сайт |страница )?(находится )?в (стадии )?разработк[еи]|сайт на реконструкции|незабаром( відкриття| запуск)?|сайт (у|в) розробці|очаквайте( скоро| ни)?|в процес на изграждане|σύντομα( κοντά σας)?|υπό κατασκευή|قريب[اً]{1,3}|تحت الإنشاء|قيد الإنشاء|به زودی|در دست (ساخت|طراحی)|בקרוב|(ה?אתר )?בבנייה|जल्द( ही)?( आ रहा है| आ रहे हैं)?|เร็ว ?ๆ ?นี้|กำลังปรับปรุง|sắp ra mắt|đang xây dựng|segera hadir|dalam (pembangunan|pengembangan)|akan (segera )?(datang|hadir)|近日(公開|オープン)|準備中|准备中(です)?|工事中|制作中|공사 ?중|준비 ?중(입니다)?|오픈 ?(예정|준비 ?중)|곧 (오픈|공개|찾아).{0,10}|(网站|網站)?(正在)?建设中|網站建置中|网站建置中|(即将|即將)(上线|上線|推出|开放|開放|到来)|(敬请|敬請)期待)(\W{0,4}($|[|–—·] ?)| [-–—|] )/i;

const launch =
  /launch|(web ?)?site\b|online|notif|\bnews|stay tuned|get ready|e-?mail|subscrib|updates|working|check back|come back|follow us|days.{0,12}h(ou)?rs|wait(ing)? ?list|early access|website|webseite|seite|aufbau|arbeiten|benachrichtig|newsletter|tage.{0,12}stunden|en ligne|travail|inscri|jours.{0,12}heures|sitio|página|trabajando|avís|suscr|correo|días.{0,12}horas|trabalhando|avis|dias.{0,12}horas|sito|lavor|iscriv|giorni.{0,12}ore|werken|hoogte|dagen|stron|pracujemy|powiadom|dni.{0,12}godz|strán|pracujeme|oldal|dolgoz|arbetar|arbeider|arbejder|sivu|çal[ıi]ş|site|haber|gün|saat|сайт|работ|подпис|дней|сайті|розроб|موقع|نعمل|אתר|เว็บไซต์|trang|situs|サイト|ページ|お待ち|사이트|홈페이지|페이지|网站|網站|页面/i;

export const comingSoon: RuleOfKind[] = [
  {
    id: "soon-hosting",
    isUnmistakable: true,
    confidence: 0.8,
    reason: "The page only says that its site is coming soon.",
    source: "https://hestiacp.com/docs/",
    when: {
      title:
        /^\W*(coming soon|under construction|demnächst|in kürze|hier entsteht|bientôt|en construction|próximamente|en construcción|em breve|em construção|prossimamente|in costruzione|binnenkort|in aanbouw|wkrótce|w budowie|připravujeme|ve výstavbě|hamarosan|în curând|în construcție|yakında|yapım aşamasında|скоро|сайт в разработке|очаквайте( скоро)?|незабаром)(?![a-zа-я])/i,
      text: [
        /hosting|hébergement|alojamiento|hospedagem|хостинг|ホスティング|호스팅|托管|主机/i,
        /\b(customer|client|kunde|cliente|klient|müşteri)|клиент|客户|\b(new|neue|nouveau|nuevo|novo|nuovo|nowa|yeni) (web ?)?sit|сайт/i,
      ],
      textMax: 900,
      headingsMax: 6,
      fieldsMax: 1,
      mediaMax: 3,
    },
  },
  {
    id: "coming-soon",
    isUnmistakable: true,
    confidence: 0.8,
    reason: "The page only says that its site is coming soon.",
    source: "https://hestiacp.com/docs/",
    when: {
      headline: soon,
      text: [launch],
      textMax: 450,
      mainMax: 350,
      headingsMax: 4,
      mediaMax: 2,
      fieldsMax: 3,
      buttonsMax: 3,
      password: false,
    },
  },
  {
    id: "under-construction",
    isUnmistakable: true,
    confidence: 0.8,
    reason: "The page only says that its site is coming soon.",
    source: "https://hestiacp.com/docs/",
    when: {
      headline:
        /coming soon|(^|\b(site|page|shop|store|is|are|we're|currently|still) )under construction|launching soon|im aufbau|in kürze|(^|seite |site )in arbeit\W*$|en construction|(^|[|:–—.!-] ?|(site|page|boutique) )bientôt( disponible| en ligne)?\W*$|(^|(sitio|web|página|tienda|está|estamos) )(aún |todavía )?en construcción|próximamente\W*$|em construção|(^|[|:–—.!-] ?)em breve\W*$|in costruzione|prossimamente|in aanbouw|w budowie|ve výstavbě|yapım aşamasında|(^|[|:–—.!-] ?)yakında\W*$|скоро (открытие|будет)|(сайт )?в разработке|建设中|即将(上线|推出)|準備中|准备中|工事中|준비 ?중/i,
      textMax: 300,
      mainMax: 100,
      headingsMax: 2,
      mediaMax: 2,
      fieldsMax: 0,
      buttonsMax: 1,
    },
  },
  {
    id: "launch",
    isUnmistakable: true,
    confidence: 0.8,
    reason: "The page only says that its site is coming soon.",
    source: "https://hestiacp.com/docs/",
    when: {
      headline:
        /(almost ready|getting ready|preparing) (to|for) (our )?launch|\b(we'?re|we are) (launching|coming|opening) soon\b|\b(we'?re|we are) almost there|^launching (soon|in \d)|(website|site) (is )?(launching|opening|coming) soon/i,
      textMax: 300,
      mainMax: 250,
      headingsMax: 3,
      mediaMax: 2,
      fieldsMax: 1,
      buttonsMax: 2,
    },
  },
];
