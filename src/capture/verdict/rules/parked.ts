/** Domains without a site: servers' default pages, and pages that say a site is coming soon. */

import type { RuleOfKind } from "../rule.ts";

export const parked: RuleOfKind[] = [
  {
    id: "default-page-phrases",
    confidence: 0.85,
    reason: "The page is a web server's or hosting panel's default page: there is no site yet.",
    source: "https://www.ispconfig.org/documentation/",
    when: { says: ["defaultPage"], textMax: 700, mainMax: 600, headingsMax: 4, fieldsMax: 1, buttonsMax: 4, mediaMax: 4, password: false },
  },
  {
    id: "replace-file",
    isUnmistakable: true,
    confidence: 0.85,
    reason: "The page only says that its web server is ready: there is no site yet.",
    source: "https://docs.cpanel.net/knowledge-base/web-services/how-to-customize-the-default-website-page/",
    when: {
      text: [
        /\b(replace|overwrite|remove|delete|edit) (the|this|your) (default )?(file|page)\b.{0,60}(document root|public_html|htdocs|web ?root|upload your (web ?)?(site|files|pages))|\b(replace|remove|delete|overwrite|upload|edit|rename)\b.{0,60}\b(index|default)\.(html?|php)\b|\b(index|default)\.(html?|php)\b.{0,60}\b(replaced?|removed?|deleted?|overwritten|your own)\b|(löschen|ersetzen|hochladen|supprimer|remplacer|mettre en ligne|eliminar|reemplazar|sustituir|subir|substituir|excluir|sostituire|eliminare|caricare|vervangen|verwijderen|usuń|zastąp|удалите|замените|загрузите|删除|替换|上传).{0,80}\b(index|default)\.(html?|php)\b|\b(index|default)\.(html?|php)\b.{0,80}(löschen|ersetzen|supprimer|remplacer|eliminar|reemplazar|sostituire|vervangen|удалите|замените|删除|替换|上传)/i,
        /hosting|server|web ?site|\bsite\b|domain|serveur|servidor|dominio|домен|сайт|网站|站点/i,
        /\b(this|your) (default )?(page|file|(web ?)?site|server|hosting)\b.{0,40}\b(is|has|to|with|\()|successfully|replace this page|delete this file|generated (by|automatically)|ihr(er|es)? (website|webs?|server)|cette page|votre (compte|site)|esta página|questa pagina|deze pagina|эта страница|此页面|本页面/i,
      ],
      textMax: 1_300,
      headingsMax: 8,
      fieldsMax: 1,
      mediaMax: 6,
    },
  },
  {
    id: "ispconfig",
    isUnmistakable: true,
    confidence: 0.85,
    reason: "The page is a web server's or hosting panel's default page: there is no site yet.",
    source: "https://www.ispconfig.org/documentation/",
    when: { text: [/\bindex\.html\b/i, /powered by\W{1,3}ispconfig/i], textMax: 700, headingsMax: 3, fieldsMax: 0 },
  },
  {
    id: "it-works",
    isUnmistakable: true,
    confidence: 0.85,
    reason: "The page is a web server's default page: there is no site yet.",
    source: "https://httpd.apache.org/docs/2.4/getting-started.html",
    when: { headline: /^it works!?$/i, textMax: 60 },
  },
  {
    id: "it-works-text",
    isUnmistakable: true,
    confidence: 0.85,
    reason: "The page is a web server's default page: there is no site yet.",
    source: "https://tomcat.apache.org/tomcat-10.1-doc/index.html",
    when: {
      headline: /^it works ?!*$/i,
      text: [/this is the default .{0,30}(page|site)|you('| a)re seeing this page via a web browser/i],
      textMax: 2_500,
    },
  },
  {
    id: "server-default",
    isUnmistakable: true,
    confidence: 0.85,
    reason: "The page is a web server's or hosting panel's default page: there is no site yet.",
    source: "https://nginx.org/en/docs/beginners_guide.html",
    when: {
      headline:
        /^(welcome to nginx!?|apache2? .*default page.*|test page for the .*|iis windows( server)?|iis\d?|welcome to (caddy|openresty|tengine|centos|jetty \d.*|wildfly|jboss .{0,30}|payara .{0,30}|glassfish .{0,30}|your (new )?(website|site|server)).*|default (web site |web ?site )?page.*|web server's default page|congratulations!? caddy.*|caddy works!?|site not (published|configured)|future home of something quite cool|plesk .*default page|parked domain name on .*|hostinger( default page.*)?|default parallels plesk.*|welcome to xampp.*|page par défaut d[ue] (domaine|site).*|standardseite (der domain|für).*|página (predeterminada|por defecto) de(l)? (dominio|sitio).*|pagina predefinita del (dominio|sito).*|default (page|website) for (domain )?[a-z0-9-]+(\.[a-z0-9-]+)+.*|domain default page|apache tomcat\/[\d.]+|litespeed web server is working|placeholder page|the install worked successfully! congratulations!|looks like this domain isn't connected to a website yet)$/i,
      textMax: 4_000,
    },
  },
  {
    id: "server-ready",
    isUnmistakable: true,
    confidence: 0.85,
    reason: "The page only says that its web server is ready: there is no site yet.",
    source: "https://hestiacp.com/docs/",
    when: {
      text: [
        /\b(your (new )?(web ?)?|(the|this) (new )?web ?)(server|site|hosting|host)( space| account| package)? (is|has been) (now |successfully )?(ready|running|working|up and running|created|installed)\b/i,
      ],
      textMax: 120,
      headingsMax: 1,
      fieldsMax: 0,
      buttonsMax: 1,
    },
  },
  {
    id: "no-site-phrases",
    confidence: 0.85,
    reason: "The page says that its domain is for sale, parked, or only registered.",
    source: "https://tma22-parking.github.io/",
    when: { says: ["noSite"], textMax: 900, mainMax: 500, headingsMax: 2, mediaMax: 4, buttonsMax: 5, fieldsMax: 6 },
  },
  {
    id: "server-installed",
    isUnmistakable: true,
    confidence: 0.85,
    reason: "The page only says that its web server is ready: there is no site yet.",
    source: "https://openlitespeed.org/kb/",
    when: {
      headline:
        /^(congratulations\b.{0,60}|welcome( to .{0,30}(hosting|server))?|success|it works|hello( world)?|(default|test) (web ?)?page|placeholder|success(ful(ly)?)? .{0,30})\W*$/i,
      text: [
        /success(ful(ly)?)? (installed|configured|created|added|set ?up|started|deployed)|set ?up (is )?complete|(installed|configured|created|added|set up) successfully|is (working|running|ready)/i,
        /(replace|remove|delete|change|modify|overwrite|edit|upload|put|place|add) (this|your|the) .{0,40}(page|files?|content|index|site)\b|own (web )?pages|(you're|you are) (seeing|viewing) this/i,
        /(web ?)?server|hosting|\bdomain|\b(web ?)?site\b/i,
      ],
      textMax: 2_000,
      fieldsMax: 1,
    },
  },
  {
    id: "no-files",
    confidence: 0.85,
    reason: "The page only says that its web server is ready: there is no site yet.",
    source: "https://docs.cpanel.net/knowledge-base/web-services/how-to-customize-the-default-website-page/",
    when: {
      text: [
        /(files?|content|website|site) (ha(s|ve) not|hasn't|haven't|is not|isn't) (yet )?(been )?(uploaded|published|set up|configured|online|connected(?! (with|to)))|(this|our) (web ?)?site is (currently |still )?under construction|no (files|content|website|site) (ha(s|ve) (yet )?been|is|are|was) (yet )?(uploaded|published|configured|here)|(website|seite|inhalte?) .{0,20}noch (nicht|keine?) .{0,30}(hochgeladen|veröffentlicht|eingerichtet|online|verfügbar)|(site|page) .{0,20}(pas encore|n'a pas été) .{0,20}(publié|mis|en ligne|configuré)|sitio .{0,20}(todavía|aún) no .{0,20}(está|ha sido)|sito .{0,20}non .{0,10}(ancora|è stato) .{0,20}(pubblicato|online)|сайт .{0,20}(ещ[её] не|не) (опубликован|создан|настроен|загружен)|this is the default (index|home|web|landing|start)|page (is|was|has been) (automatically )?generated by the (system|server|control panel)|why am i seeing this page\?|(this|the|your) (website|site|domain) (is|has been) (enabled|activated|reserved)|hier entsteht (in kürze |bald |demnächst )?(eine |ein )?(neue[rs]? )?(web|internet|homepage|(online-?)?shop\b)|(website|webseite|internetseite|domain)[^.]{0,30}noch keinen? inhalt|здесь (скоро )?будет .{0,20}сайт|tu (powstaje|powstanie) .{0,20}(strona|serwis)|默认(页面|站点|首页|index)|(站点|网站)(已经?)?(创建|开通|搭建|部署)成功|(网站|站点)(尚未|还没有|未)/i,
      ],
      textMax: 600,
      mainMax: 450,
      headingsMax: 3,
      mediaMax: 4,
      fieldsMax: 1,
    },
  },
];
