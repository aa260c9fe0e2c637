/** Domains without a site: parking pages, domains for sale, default server pages. */

import type { RuleOfKind } from "../rule.ts";

export const parked: RuleOfKind[] = [
  {
    id: "parking-service",
    confidence: 0.95,
    reason: "The domain is parked: it is served by a parking service.",
    source: "https://tma22-parking.github.io/",
    when: {
      resource:
        /\/\/(?:[\w-]+\.)*(sedoparking\.com|parkingcrew\.net|bodis\.com|parklogic\.com|above\.com|dsparking\.com|parking\.reg\.ru|parkingpage\.|img1\.wsimg\.com\/parking-lander|domaincntrol\.com|skenzo\.com|trafficz\.com|voodoo\.com|smartname\.com|uniregistry\.com|namedrive\.com|ztomy\.com|rookmedia\.net|d1lxhc4jvstzrp\.cloudfront\.net|c\.parkingcrew\.net)/,
      textMax: 2_500,
    },
  },
  {
    id: "domain-market",
    confidence: 0.95,
    reason: "The domain is for sale: it redirects to a domain marketplace.",
    source: "https://tma22-parking.github.io/",
    when: {
      leftHost: true,
      shownHost:
        /(^|\.)(hugedomains\.com|dan\.com|afternic\.com|sedo\.com|undeveloped\.com|domainmarket\.com|atom\.com|buydomains\.com|forsale\.\w+|brandbucket\.com|dynadot\.com|namecheap\.com|godaddy\.com)$/,
    },
  },
  {
    id: "for-sale",
    confidence: 0.9,
    reason: "The page says that its domain is for sale or parked.",
    source: "https://tma22-parking.github.io/",
    when: {
      text: [
        /\bdomain( name)? ([\w.-]+ )?(is|may be|could be) (currently )?(available )?(for sale|parked)|(buy|purchase|acquire|own) this domain|this (web ?site|domain)( name)? (is|has|was|has been) (recently )?(parked|reserved|registered|expired)|domain for sale|inquire about this domain|parked (free|domain|by)|related (searches|links).*domain|domain (steht zum verkauf|kaufen)|diese domain|ce domaine est|nom de domaine est|dominio (está|es|è) (en venta|in vendita|registrad|aparcad|parcheggiat)|este dominio|este domínio|questo dominio|dit domein|домен (продаётся|продается|припаркован|зарегистрирован)|域名(出售|已停放)|votre (nom de )?domaine a (bien )?été (créé|enregistré)|このドメイン.{0,20}(販売|取得|登録|期限)|도메인 판매/i,
        /domain|dominio|domínio|domaine|domein|домен|域名|ドメイン|도메인/i,
      ],
      textMax: 1_200,
      headingsMax: 2,
      mediaMax: 6,
      buttonsMax: 5,
    },
  },
  {
    id: "title-for-sale",
    isUnmistakable: true,
    confidence: 0.9,
    reason: "The page says that its domain is for sale or parked.",
    source: "https://tma22-parking.github.io/",
    when: {
      headline:
        /^\W{0,5}([a-z0-9-]{1,63}(\.[a-z-]{2,20}){1,3}|(this |the |premium )?domain( name)?) (is |may be )?(now )?(available )?(for|on) (sale|purchase)\b.{0,30}$/i,
      textMax: 900,
      headingsMax: 6,
      mediaMax: 6,
      buttonsMax: 5,
    },
  },
  {
    id: "name-for-sale",
    confidence: 0.9,
    reason: "The page begins with a domain's name and says that it is for sale.",
    source: "https://tma22-parking.github.io/",
    when: {
      text: [/^.{0,80}\b[a-z0-9-]+(\.[a-z-]{2,})+ (is |may be )?(available )?for (sale|purchase)\b/i],
      textMax: 900,
      headingsMax: 3,
      mediaMax: 6,
      buttonsMax: 5,
    },
  },
  {
    id: "related-searches",
    isUnmistakable: true,
    confidence: 0.8,
    reason: "The page is a parking page: the domain's name and advertising links.",
    source: "https://tma22-parking.github.io/",
    when: {
      text: [/related searches|verwandte suchen|recherches associées|búsquedas relacionadas/i],
      headingsMax: 0,
      textMax: 400,
      mediaMax: 1,
    },
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
        /^(welcome to nginx!?|apache2? .*default page.*|test page for the .*|iis windows( server)?|iis\d?|welcome to (caddy|openresty|tengine|centos|jetty \d.*|your (new )?(website|site|server)).*|default (web site |web ?site )?page.*|web server's default page|congratulations!? caddy.*|caddy works!?|site not (published|configured)|future home of something quite cool|plesk .*default page|parked domain name on .*|hostinger.*|default parallels plesk.*|domain default page|apache tomcat\/[\d.]+|litespeed web server is working|placeholder page|the install worked successfully! congratulations!|looks like this domain isn't connected to a website yet)$/i,
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
        /\b(your|the|this) (new )?(web ?)?(server|site|hosting|host)( space| account| package)? (is|has been) (now |successfully )?(ready|running|working|up and running|created|installed)\b/i,
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
        /^(congratulations\b.{0,60}|welcome|success|it works|hello( world)?|(default|test) (web ?)?page|placeholder|success(ful(ly)?)? .{0,30})\W*$/i,
      text: [
        /success(ful(ly)?)? (installed|configured|created|added|set up)|(installed|configured|created|added|set up) successfully|is (working|running|ready)/i,
        /(replace|remove|delete|change|modify|overwrite|edit|upload|put|place|add) (this|your|the) .{0,40}(page|files?|content|index|site)\b|own (web )?pages/i,
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
        /(files?|content|website|site) (ha(s|ve) not|hasn't|haven't|is not|isn't) (yet )?(been )?(uploaded|published|set up|configured|online|connected)|no (files|content|website|site) (ha(s|ve) (yet )?been|is|are|was) (yet )?(uploaded|published|configured|here)|(website|seite|inhalte?) .{0,20}noch (nicht|keine?) .{0,30}(hochgeladen|veröffentlicht|eingerichtet|online|verfügbar)|(site|page) .{0,20}(pas encore|n'a pas été) .{0,20}(publié|mis|en ligne|configuré)|sitio .{0,20}(todavía|aún) no .{0,20}(está|ha sido)|sito .{0,20}non .{0,10}(ancora|è stato) .{0,20}(pubblicato|online)|сайт .{0,20}(ещ[её] не|не) (опубликован|создан|настроен|загружен)|this is the default (index|home|web|landing|start)|page (is|was|has been) (automatically )?generated by the (system|server|control panel)|why am i seeing this page\?|(this|the|your) (website|site|domain) (is|has been) (enabled|activated|reserved)|hier entsteht (eine|in kürze|bald|demnächst)|noch keinen? inhalt|здесь (скоро )?будет .{0,20}сайт|tu (powstaje|powstanie) .{0,20}(strona|serwis)|默认(页面|站点|首页|index)|(站点|网站)(已经?)?(创建|开通|搭建|部署)成功|(网站|站点)(尚未|还没有|未)/i,
      ],
      textMax: 600,
      mainMax: 450,
      headingsMax: 3,
      mediaMax: 4,
      fieldsMax: 1,
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
        /coming soon|under construction|launching soon|im aufbau|in (kürze|arbeit)|en construction|bientôt( disponible| en ligne)?\W*$|en construcción|próximamente|em construção|em breve|in costruzione|prossimamente|in aanbouw|w budowie|ve výstavbě|yapım aşamasında|yakında|скоро (открытие|будет)|(сайт )?в разработке|建设中|即将(上线|推出)|準備中|工事中|준비 ?중/i,
      textMax: 200,
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
        /(almost ready|about|getting ready|preparing) (to|for) (our )?launch|\b(we'?re|we are|we’re) (launching|almost there|coming soon|opening soon)|launch(ing|es)? (soon|in \d)|(website|site) (is )?(launching|opening|coming) soon/i,
      textMax: 300,
      mainMax: 250,
      headingsMax: 3,
      mediaMax: 2,
      fieldsMax: 1,
      buttonsMax: 2,
    },
  },
];
