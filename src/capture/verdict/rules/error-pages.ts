/** Error pages, recognised whatever their status. */

import type { RuleOfKind } from "../rule.ts";

const notFound =
  /^\W*((http )?error )?404\W*$|^\W*((http )?error )?404\W+(page )?not found|page (was )?not found|(can't|cannot|couldn't) find (that|this|the) page|(page|content|url|file) (could ?n[o']t|can ?not|cannot) be found|(this|that|the) page (doesn't|does not|no longer) exist|page (isn't|is not|no longer) available|^(404\W+)?not found\W*$|seite (wurde )?nicht gefunden|seite existiert nicht|page (introuvable|non trouvée)|página no (encontrada|existe)|no se (ha )?encontr|página não encontrada|pagina non trovata|pagina niet gevonden|nie (została )?znaleziona|strona nie istnieje|страница не найдена|页面不存在|找不到(该)?(网页|页面)|ページが見つかりません|페이지를 찾을 수 없습니다/i;

export const errorPages: RuleOfKind[] = [
  {
    id: "soft-404",
    confidence: 0.85,
    reason: "The page reports that it was not found, although its status is not an error.",
    source: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#soft-404-errors",
    when: { headline: notFound, textMax: 400, headingsMax: 2 },
  },
  {
    id: "application-error",
    confidence: 0.9,
    reason: "The page shows an application error.",
    source: "https://nextjs.org/docs/messages",
    when: {
      text: [
        /application error: a (client|server)-side exception|there has been a critical error on this website|error establishing a database connection|whitelabel error page|uncaught (exception|error|typeerror|pdoexception)|mysqli?_connect\(|sqlstate\[|access denied for user|too many connections|database (connection )?(error|failed)|connessione al database|verbindung zur datenbank|połączeni\w+ z bazą|conexión con la base de datos|connexion à la base de données|fatal error:|internal server error|unhandled (runtime|exception)|this (application|app) (is currently unavailable|crashed)|an error occurred in the application/i,
      ],
      textMax: 450,
      headingsMax: 2,
    },
  },
  {
    id: "gateway-error",
    confidence: 0.9,
    reason: "A proxy in front of the site reports an error.",
    source: "https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/",
    when: {
      headline:
        /^\W*(error )?5\d\d\W*$|^(.* \| )?(error )?(5\d\d\W+)?(bad gateway|gateway time-?out|service (temporarily )?unavailable|connection timed out|web server is (down|returning an unknown error)|origin (is unreachable|dns error)|internal server error|interner serverfehler|erreur interne du serveur|error interno del servidor|something went wrong)\W*$|error 5\d\d/i,
      textMax: 450,
      headingsMax: 3,
    },
  },
  {
    id: "maintenance",
    confidence: 0.8,
    reason: "The site says that it is down for maintenance.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15.6.4",
    when: {
      headline:
        /(under|scheduled|down for( scheduled| routine)?) maintenance\W*$|maintenance mode|(we'?ll|will) be (right back|back (soon|shortly))|be back soon|temporarily (unavailable|closed|offline)|briefly unavailable|wartungsarbeiten|wartungsmodus|en maintenance|en mantenimiento|em manutenção|in manutenzione|in onderhoud|^onderhoud\b|zo (weer )?terug|технические работы|维护中|メンテナンス中|점검 중/i,
      textMax: 450,
      headingsMax: 2,
    },
  },
  {
    id: "no-site-here",
    confidence: 0.9,
    reason: "The hosting service has no site under this name.",
    source: "https://docs.github.com/en/pages/getting-started-with-github-pages",
    when: {
      text: [
        /there isn't a github pages site here|no such app|sorry, this (shop|store) is (currently |temporarily )?unavailable|site not found|there is nothing here, yet|nosuchbucket|no settings were found for this (company|domain)|this site (is no longer available|has been archived or suspended)|this account has been suspended\.|this (page|project|deployment) (could not|cannot|can't) be (found|reached)|web site (not found|is currently not available)|bandwidth limit exceeded/i,
      ],
      textMax: 1_200,
    },
  },
];
