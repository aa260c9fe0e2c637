/** Blocking screens of known vendors. */

import type { RuleOfKind } from "../rule.ts";

/** Maximum number of characters of text. Blocking screens are short; articles about them are not. */
export const blockScreenTextMax = 900;
export const blockStatuses = [401, 403, 405, 406, 429, 503];

export const vendorBotWalls: RuleOfKind[] = [
  {
    id: "cloudflare-challenge",
    confidence: 0.98,
    reason: "Cloudflare checks the visitor before showing the page.",
    source: "https://developers.cloudflare.com/cloudflare-challenges/",
    when: {
      resource: /\/cdn-cgi\/challenge-platform\/|\/\/challenges\.cloudflare\.com\//,
      status: [403, 429, 503],
      textMax: blockScreenTextMax,
    },
  },
  {
    id: "cloudflare-challenge-title",
    confidence: 0.95,
    reason: "Cloudflare checks the visitor before showing the page.",
    source: "https://developers.cloudflare.com/cloudflare-challenges/",
    when: {
      title:
        /^(just a moment|un momento|un instant|einen moment|nur einen moment|um momento|een moment|请稍候|しばらくお待ちください|잠시만 기다리십시오)(,? (bitte|por favor|s'il vous plaît))?\s?(\.\.\.|…)$|^attention required! \| cloudflare$/i,
      textMax: 450,
      mediaMax: 3,
    },
  },
  {
    id: "cloudflare-captcha",
    confidence: 0.97,
    reason: "Cloudflare asks the visitor to solve a captcha.",
    source: "https://developers.cloudflare.com/cloudflare-challenges/",
    when: { resource: /\/cdn-cgi\/(l\/chk_|bm\/cv\/)|[?&]__cf_chl_/, status: blockStatuses, textMax: 1_500, headingsMax: 5 },
  },
  {
    id: "cloudflare-block",
    confidence: 0.98,
    reason: "Cloudflare blocks the visitor.",
    source: "https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-1xxx-errors/",
    when: {
      status: blockStatuses,
      headline: /blocked|access denied|rate limited|attention required|error\s*10(0[69]|1[025]|20)/i,
      text: [/cloudflare/i, /you have been blocked|access denied|you are being rate limited|error\s*(code:?\s*)?10(0[69]|1[025]|20)/i],
      textMax: 1_500,
      headingsMax: 4,
    },
  },
  {
    id: "datadome",
    confidence: 0.97,
    reason: "DataDome asks the visitor to solve a captcha.",
    source: "https://docs.datadome.co/docs/captcha-interstitial",
    when: { resource: /\/\/[\w.-]*captcha-delivery\.com\//, textMax: blockScreenTextMax },
  },
  {
    id: "human-security",
    confidence: 0.97,
    reason: "HUMAN (PerimeterX) asks the visitor to press and hold a button.",
    source: "https://docs.humansecurity.com/applications/challenge",
    when: { resource: /captcha\.px-c(dn|loud)\.net|\/captcha\.js\?a=c&u=/, textMax: blockScreenTextMax },
  },
  {
    id: "imperva",
    confidence: 0.97,
    reason: "Imperva (Incapsula) checks or blocks the visitor.",
    source: "https://docs.imperva.com/bundle/cloud-application-security/page/more/incapsula-error-codes.htm",
    when: { resource: /\/_Incapsula_Resource\?.*(incident_id|CWUDNSAI|SWUDNSAI|cinfo=|edet=)/i, textMax: blockScreenTextMax, mediaMax: 2 },
  },
  {
    id: "imperva-incident",
    confidence: 0.97,
    reason: "Imperva (Incapsula) blocks the visitor.",
    source: "https://docs.imperva.com/bundle/cloud-application-security/page/more/incapsula-error-codes.htm",
    when: { text: [/incapsula incident id/i], textMax: 1_500 },
  },
  {
    id: "akamai",
    confidence: 0.95,
    reason: "Akamai blocks the visitor.",
    source: "https://techdocs.akamai.com/property-mgr/docs/access-denied-errors",
    when: { headline: /^access denied$/i, text: [/reference\s*#\s*[\da-f]+\.[\da-f.]+/i], textMax: blockScreenTextMax },
  },
  {
    id: "akamai-check",
    confidence: 0.95,
    reason: "Akamai checks the visitor before showing the page.",
    source: "https://techdocs.akamai.com/cloud-security/docs/handle-challenge",
    when: { text: [/protected by akamai/i], textMax: 200, headingsMax: 1 },
  },
  {
    id: "aws-waf",
    confidence: 0.97,
    reason: "AWS WAF checks whether the visitor is human.",
    source: "https://docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge.html",
    when: { resource: /\.awswaf\.com\//, status: [202, ...blockStatuses], textMax: blockScreenTextMax, mediaMax: 3 },
  },
  {
    id: "sucuri",
    confidence: 0.97,
    reason: "Sucuri's firewall blocks the visitor.",
    source: "https://docs.sucuri.net/website-firewall/troubleshooting/",
    when: { text: [/sucuri (website firewall|cloudproxy)/i], status: blockStatuses, textMax: 1_500 },
  },
  {
    id: "wordfence",
    confidence: 0.95,
    reason: "Wordfence blocks the visitor.",
    source: "https://www.wordfence.com/help/blocking/",
    when: { text: [/wordfence/i, /access to this (site|service) has been limited/i], status: blockStatuses, textMax: 3_000 },
  },
  {
    id: "stackpath",
    confidence: 0.95,
    reason: "A firewall blocks the visitor.",
    source: "https://support.stackpath.com/hc/en-us/articles/360022158072-WAF-Security-Screens-Explained",
    when: {
      text: [/is using a security service (for protection against|to protect itself from) online attacks/i],
      status: blockStatuses,
      textMax: 1_500,
    },
  },
  {
    id: "f5",
    confidence: 0.95,
    reason: "A firewall (F5) rejects the request.",
    source: "https://my.f5.com/manage/s/article/K16081",
    when: { text: [/the requested url was rejected/i, /support id/i], textMax: blockScreenTextMax },
  },
  {
    id: "ddos-guard",
    confidence: 0.95,
    reason: "DDoS-Guard checks the visitor before showing the page.",
    source: "https://ddos-guard.net/en/manual",
    when: { title: /^ddos-guard$/i, textMax: blockScreenTextMax },
  },
  {
    id: "vercel",
    confidence: 0.97,
    reason: "Vercel checks the visitor before showing the page.",
    source: "https://vercel.com/docs/vercel-firewall/attack-challenge-mode",
    when: { title: /^vercel security checkpoint/i, textMax: blockScreenTextMax },
  },
  {
    id: "vercel-request",
    confidence: 0.9,
    reason: "Vercel checks the visitor before showing the page.",
    source: "https://vercel.com/docs/headers/response-headers#x-vercel-id",
    when: { title: /^.{0,30}\bvercel\b/i, text: [/\b[a-z]{3}\d::[\w-]+/], textMax: 300 },
  },
  {
    id: "anubis-footer",
    confidence: 0.95,
    reason: "Anubis checks the visitor before showing the page.",
    source: "https://anubis.techaro.lol/docs/",
    when: { text: [/\banubis\b.{0,20}\btecharo\b/i], textMax: 800, headingsMax: 2 },
  },
  {
    id: "anubis",
    confidence: 0.97,
    reason: "Anubis checks the visitor before showing the page.",
    source: "https://anubis.techaro.lol/docs/",
    when: { resource: /\/\.within\.website\/x\/cmd\/anubis\//, textMax: 2_000 },
  },
  {
    id: "google-sorry",
    confidence: 0.97,
    reason: "Google considers the visitor a bot.",
    source: "https://support.google.com/websearch/answer/86640",
    when: { shownHost: /(^|\.)google\.[a-z.]+$/, shownPath: /^\/sorry\// },
  },
  {
    id: "alibaba-punish",
    confidence: 0.95,
    reason: "Alibaba's firewall asks the visitor to solve a captcha.",
    source: "https://www.alibabacloud.com/help/en/waf/",
    when: { resource: /\/_____tmd_____\/|\/punish\?/, textMax: blockScreenTextMax },
  },
  {
    id: "kasada",
    confidence: 0.97,
    reason: "Kasada checks the visitor before showing the page.",
    source: "https://www.kasada.io/",
    when: { resource: /\/149e9513-01fa-4fb0-aad4-566afd725d1b\//, textMax: blockScreenTextMax, mediaMax: 1 },
  },
  {
    id: "cleantalk",
    confidence: 0.95,
    reason: "CleanTalk's firewall checks the visitor before showing the page.",
    source: "https://cleantalk.org/help/sfw-block-reason",
    when: { text: [/SpamFireWall is activated for your IP/i], textMax: blockScreenTextMax },
  },
];
