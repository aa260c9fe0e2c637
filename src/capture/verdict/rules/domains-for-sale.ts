/** Domains that are parked or for sale. */

import type { RuleOfKind } from "../rule.ts";

export const domainsForSale: RuleOfKind[] = [
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
        /\bdomain( name)? ([\w.-]+ )?(is|may be|could be) (currently )?(available )?(for sale|parked)|(buy|purchase|acquire|own) this domain|this (web ?site|domain)( name)? (is|has|was|has been) (recently )?(parked|reserved|registered|expired)|domain for sale|inquire about this domain|parked (free|domain|by)|related (searches|links).*domain|domain (steht zum verkauf|kaufen)|diese domain|ce domaine est (en vente|à vendre|réservé|parqué|enregistré|disponible)|nom de domaine est|dominio (está|es|è) (en venta|in vendita|registrad|aparcad|parcheggiat)|este dominio|este domínio|questo dominio|dit domein (is|staat) (nog )?(te koop|geregistreerd|gereserveerd|geparkeerd|beschikbaar)|домен (продаётся|продается|припаркован|зарегистрирован)|域名(出售|已停放)|votre (nom de )?domaine a (bien )?été (créé|enregistré)|このドメイン.{0,20}(販売|取得|登録|期限)|도메인 판매/i,
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
        /^[\w-]{1,63}(\.[a-z]{2,20}){1,2}\W{1,4}(premium )?domain( name)? (is )?for sale\b|^\W{0,5}([a-z0-9-]{1,63}(\.[a-z-]{2,20})?\.(com|net|org|info|biz|io|co|me|ai|app|dev|xyz|shop|online|site|tech|de|at|ch|fr|it|es|nl|be|pl|ru|eu|uk|us|ca|in|br|example)|(this |the |premium )?domain( name)?) (is |may be )?(now )?(available )?for (sale|purchase)\W*$|^domain parked\b|^域名(停靠|停放|出售|转让)/i,
      textMax: 2_500,
      headingsMax: 12,
      mediaMax: 6,
      buttonsMax: 5,
    },
  },
  {
    id: "parked-at",
    confidence: 0.9,
    reason: "The page says that its domain is for sale or parked.",
    source: "https://www.loopia.com/loopiadns/",
    when: {
      headline: /^parked (at|by|with|on) [\w.]{2,30}\W*$/i,
      text: [/\bdomain/i],
      textMax: 2_500,
      headingsMax: 12,
      mediaMax: 6,
      buttonsMax: 5,
    },
  },
  {
    id: "domain-sale-phrases",
    confidence: 0.9,
    reason: "The page says that its domain is for sale or parked.",
    source: "https://tma22-parking.github.io/",
    when: {
      text: [
        /(?<!public[ -])\b(domain|domein|domena|domeniul|doména|domänen|domænet|domenet|alan adı|домен|dominio|domínio)\b[^.!?]{0,30}(for sale|zu verkaufen|steht zum verkauf|te koop|na sprzeda[żz]|na prodej|de vânzare|till salu|til salg|satılık|прода[её]тся|in vendita|en venta|à venda)|域名.{0,10}(出售|转让)|(对|购买)(该|此)域名|ドメイン.{0,15}販売/i,
      ],
      textMax: 900,
      mainMax: 600,
      headingsMax: 6,
      mediaMax: 4,
      buttonsMax: 5,
      fieldsMax: 6,
    },
  },
  {
    id: "name-for-sale",
    confidence: 0.9,
    reason: "The page begins with a domain's name and says that it is for sale.",
    source: "https://tma22-parking.github.io/",
    when: {
      text: [
        /^.{0,80}\b[a-z0-9-]+(\.[a-z-]{2,20})?\.(com|net|org|info|biz|io|co|me|ai|app|dev|xyz|shop|online|site|tech|de|at|ch|fr|it|es|nl|be|pl|ru|eu|uk|us|ca|in|br|example)\b.{0,25}\b((is|are|may be) )?(available |now )?((open )?for (sale|purchase|a new owner|offers)|looking for (a )?new owners?)\b/i,
      ],
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
];
