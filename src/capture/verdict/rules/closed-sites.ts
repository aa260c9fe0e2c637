/** Sites that are down for maintenance, suspended by their hosting service, or closed to visitors from a region. */

import type { RuleOfKind } from "../rule.ts";

/** Names the site, or apologizes: firms that offer maintenance rarely do. Text in any script but Latin also matches. */
const aboutSite =
  /\b(web ?site|our site|this site|the site|page|server|systems?|services?( is| are)?|store|webshop|online|offline)\b|\bback (soon|shortly|in)\b|we('ll| will) be|\b(sorry|apologi|inconvenience|patience|understanding)|webseite|seite\b|internet|site web|notre site|le site|sitio|página|nosso site|loja|\bsito\b|pagina|stron[ayęi]|serwis|stránk|oldal|site-?ul|sivusto|verkko|sayfa|siden\b|sidan|nettside|webb|hemsida|trang|halaman|geduld|verständnis|entschuldig|compréhension|désolé|paciencia|comprensión|molestias|disculp|paciência|compreensão|desculp|pazienza|disagio|scus|begrip|ongemak|cierpliw|przeprasz|trpěliv|omlouv|türel|elnéz|răbdare|înțeleg|[\u0370-\u1dff\u2c80-\uffdc]{2}/i;

export const closedSites: RuleOfKind[] = [
  {
    id: "maintenance",
    confidence: 0.8,
    reason: "The site says that it is down for maintenance.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15.6.4",
    when: {
      headline:
        /(under|scheduled|down for( scheduled| routine)?) maintenance\W*$|(we'?ll|will) be (right back|back (soon|shortly))|be back soon|temporarily (unavailable|closed|offline)(\W*$| (due to|for|while|because))|briefly unavailable|wartungsarbeiten|en maintenance|(^|(sitio|web|página|tienda|está|estamos) )en mantenimiento|(^|(site|página|loja|está|estamos) )em manutenção|(^|(sito|pagina|negozio) |è )in manutenzione|in onderhoud|zo (weer )?terug|технические работы|维护中|メンテナンス中|점검 중/i,
      text: [aboutSite],
      textMax: 450,
      headingsMax: 2,
    },
  },
  {
    id: "maintenance-words",
    confidence: 0.8,
    reason: "The site says that it is down for maintenance.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15.6.4",
    when: {
      text: [
        /maintenance|upgrad|wartung|mantenimiento|manutenção|manutenzione|onderhoud|underhåll|vedligehold|vedlikehold|huolto|bakım|údržb|karbantart|konserwac|технич|维护|メンテナンス|점검/i,
        /back (online |up )?(soon|shortly|in a|online)|wieder (da|online|erreichbar)|de retour|volvemos|voltamos|torniamo|zo terug|snart tillbaka|snart tilbake|tilbage|pian takaisin|kısa süre|brzy zpět|hamarosan|wkrótce|скоро|稍后|まもなく|잠시 후|\b(currently|temporarily|momentan|derzeit|zur ?zeit|vorübergehend|actuellement|temporairement|actualmente|temporalmente|temporariamente|momentaneamente|temporaneamente|momenteel|tijdelijk|obecnie|chwilowo|dočasně)\b.{0,60}(unavailable|offline|\bdown\b|not (be )?(available|accessible|reachable)|nicht (erreichbar|verfügbar)|indisponible|inaccessible|no (está )?disponible|indispon[ií]ve|non (è )?disponibile|niet (bereikbaar|beschikbaar)|niedostępn|nedostupn|maintenance)|(geçici|временно).{0,60}(недоступ|не работает|kapalı)|暂时无法|ご利用いただけません/i,
      ],
      textMax: 300,
      headingsMax: 2,
      fieldsMax: 0,
    },
  },
  {
    id: "maintenance-phrases",
    confidence: 0.8,
    reason: "The site says that it is down for maintenance.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15.6.4",
    when: { headlineSays: "maintenance", textMax: 1_000, mainMax: 450, headingsMax: 6, fieldsMax: 1 },
  },
  {
    id: "other-region-phrases",
    confidence: 0.8,
    reason: "The site says that it is not available in this region.",
    source: "https://www.rfc-editor.org/rfc/rfc7725",
    when: { says: ["otherRegion"], textMax: 1_000, mainMax: 350, headingsMax: 6, fieldsMax: 0, mediaMax: 3 },
  },
  {
    id: "other-region-words",
    confidence: 0.8,
    reason: "The site says that it is not available in this region.",
    source: "https://www.rfc-editor.org/rfc/rfc7725",
    when: {
      text: [
        /\b(our|this|the) (online )?(service|(web ?)?site|content|page|video|game|app|store|shop|product)\b[^.!?]{0,40}\b(unavail[a-z]{2,6}|not (currently )?(avail[a-z]{2,6}|accessible)|no longer avail[a-z]{2,6}|(can't|cannot) be (accessed|viewed|shown|played|used)|geo-?blocked).{0,40}\b(in|from|to) (your|this) (current )?(country|region|location|state|territory|jurisdiction)\b/i,
      ],
      textMax: 400,
      mainMax: 350,
      headingsMax: 3,
      fieldsMax: 0,
      buttonsMax: 2,
      mediaMax: 2,
    },
  },
  {
    id: "suspended-phrases",
    confidence: 0.85,
    reason: "The hosting service has suspended the site.",
    source: "https://docs.cpanel.net/whm/account-functions/manage-account-suspension/",
    when: { headlineSays: "suspended", textMax: 600, mainMax: 350, headingsMax: 2, fieldsMax: 0 },
  },
  {
    id: "suspended-words",
    isUnmistakable: true,
    confidence: 0.85,
    reason: "The hosting service has suspended the site.",
    source: "https://docs.cpanel.net/whm/account-functions/manage-account-suspension/",
    when: {
      headline:
        /^(?!.*\?)(?!\W{0,3}(why|how|what|when|if|warum|wie|was|wann|pourquoi|comment|quand|por qué|cómo|qué|perché|come)\b).{0,60}\b(account|site|website|web ?page|domain|hosting|your service|konto|webseite|compte|sitio|cuenta|conta|sito|strona)\b.{0,40}\b(suspend|suspens[oa]|sospes|gesperrt|deaktiviert|désactivé|deshabilitad|desactivad|zawieszon|zablokowan)|^suspended (account|site|website|page|domain|hosting)\b|(web ?s[iı]te|hesa[pb]|hizmetiniz|sayfa|alan ad)\S{0,15}.{0,30}(ask[ıi]ya al|durdurul|duraklat|kapat[ıi]l)|(сайт|аккаунт|хостинг|домен|учётная запись)\S{0,15}.{0,30}(приостановлен|заблокирован|отключ[её]н)|(网站|站点|账号|账户|域名).{0,10}(已|被)?(暂停|停用|关闭|冻结)|(サイト|アカウント).{0,10}停止|(사이트|계정).{0,10}(정지|중지)/i,
      textMax: 1_200,
      mainMax: 900,
      headingsMax: 4,
      fieldsMax: 0,
    },
  },
  {
    id: "disabled",
    confidence: 0.85,
    reason: "The hosting service has suspended the site.",
    source: "https://hestiacp.com/docs/",
    when: {
      headline:
        /^\W{0,3}(this |your |the )?(web ?site|site|domain|account|application|hosting|workspace)( account| name)? (is |has been |was )?(currently |temporarily )?(disabled|deactivated|suspended|terminated|inactive|frozen|locked)\W*$|^\W{0,3}(el |la |su |tu |este |esta |o |a |seu |sua |il |lo )?(sitio( web)?|web|página|cuenta|aplicación|servicio|dominio|tienda|site|conta|aplicação|serviço|domínio|loja|sito|servizio|applicazione) (está |ha sido |foi |è stat[oa] |temporalmente |temporariamente )?(suspendid[oa]|suspens[oa]|deshabilitad[oa]|desactivad[oa]|desativad[oa]|bloquead[oa]|inactiv[oa]|sospes[oa]|disabilitat[oa])\W*$|^\W{0,3}(le |la |votre |ce |cette )?(site( web)?|compte|service|application|domaine|boutique) (est |a été )?(temporairement )?(suspendue?|désactivée?|bloquée?)\W*$|^\W{0,3}(die(se)? |das |ihre |ihr |der )?(web ?site|webseite|seite|domain|konto|dienst|anwendung|shop) (ist |wurde )?(derzeit |vorübergehend )?(gesperrt|deaktiviert|abgeschaltet)\W*$/i,
      textMax: 500,
      mainMax: 400,
      headingsMax: 3,
      fieldsMax: 0,
    },
  },
  {
    id: "maintenance-mode",
    isUnmistakable: true,
    confidence: 0.8,
    reason: "The site says that it is down for maintenance.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15.6.4",
    when: {
      text: [
        /wartungsmodus|maintenance mode|mode maintenance|modo (de )?mantenimiento|modo de manutenção|modalità manutenzione|onderhoudsmodus|tryb(ie)? (konserwacji|serwisowy)|underhållsläge|bakım modu|режим\S{0,5} (технического )?обслуживания|维护模式|メンテナンスモード|점검 모드/i,
        /\b((will|we'll) be (back|available|online)|back (soon|shortly)|sorry for|this (web ?)?site is|(is|are|currently|temporarily) (in|under) maintenance mode|wir (sind|entwickeln|arbeiten)|unsere (web)?seite|bald wieder|nous (sommes|serons)|bientôt|estamos|volve(mos|remos)|pronto|em breve|voltaremos|torn(iamo|eremo)|presto|we zijn|wij zijn|terug|wkrótce|przepraszamy|snart|yakında|birazdan)(?![a-z])|скоро|мы|наш|извин|我们|稍后|敬请|しばらく|お待ち|ただいま|メンテナンス中|잠시|곧/i,
      ],
      textMax: 350,
      headingsMax: 3,
      fieldsMax: 1,
    },
  },
  {
    id: "not-in-region",
    confidence: 0.85,
    reason: "The site says that it is not available in this region.",
    source: "https://www.rfc-editor.org/rfc/rfc7725",
    when: {
      text: [
        /(not|isn't|un) ?(currently )?(available|accessible) (in|from) your (current )?(region|country|location|area)|in (deinem|ihrem|diesem) land( leider)? nicht verfügbar|(pas|plus) (disponible|accessible) dans votre (pays|région)|no (está )?disponible en (tu|su) (país|región)|não (está )?disponível (no seu país|na sua região)|non (è )?disponibile nel tuo paese|niet beschikbaar in (je|jouw|uw) (land|regio)|недоступен в вашем регионе|お住まいの(国|地域)|您所在的(国家|地区)/i,
      ],
      textMax: 450,
      headingsMax: 2,
      fieldsMax: 0,
      mediaMax: 3,
    },
  },
];
