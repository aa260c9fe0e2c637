/** Bot checks and blocking screens that don't name a vendor. */

import type { RuleOfKind } from "../rule.ts";

import { blockScreenTextMax, blockStatuses } from "./bot-walls.ts";

export const botChecks: RuleOfKind[] = [
  {
    id: "press-and-hold",
    confidence: 0.95,
    reason: "The page asks the visitor to press and hold a button.",
    source: "https://docs.humansecurity.com/applications/challenge",
    when: { text: [/press (&|and) hold/i, /(you are|you're|are you) (a )?(human|not a (ro)?bot)|confirm/i], textMax: 300, headingsMax: 1 },
  },
  {
    id: "check-title",
    confidence: 0.95,
    reason: "The page checks whether the visitor is a bot.",
    source: "https://docs.imunify360.com/webshield/",
    when: {
      title:
        /^(pardon our interruption|one moment, please\W*|robot challenge screen|client challenge|browsing paused|verify(ing)? (that )?you are (a )?human|百度安全验证|bir dakika lütfen\W*|human verification)$/i,
      textMax: 700,
      mediaMax: 4,
    },
  },
  {
    id: "check-form",
    confidence: 0.9,
    reason: "The page shows its content only after the visitor passes a check.",
    source: "https://yandex.cloud/en/docs/smartcaptcha/",
    when: {
      text: [/i'm not a robot|完成验证后即可继续|you and not a robot|(click|tap|press) .{0,30}continue shopping/i],
      textMax: 300,
      headingsMax: 1,
      fieldsMax: 1,
      mediaMax: 4,
    },
  },
  {
    id: "unusual-traffic",
    confidence: 0.9,
    reason: "The page blocks the visitor because of unusual traffic.",
    source: "https://support.google.com/websearch/answer/86640",
    when: {
      text: [
        /unusual (traffic|activity|behaviou?r|requests?)|automated (access|requests|queries|traffic)|suspicious (activity|traffic)/i,
        /your (computer|ip|network|browser)|captcha|verify (that )?you|robot/i,
      ],
      textMax: 450,
      headingsMax: 3,
      mediaMax: 4,
    },
  },
  {
    id: "network-security",
    confidence: 0.9,
    reason: "The site's network security blocks the visitor.",
    source: "https://support.reddithelp.com/hc/en-us/articles/16160319875092",
    when: {
      text: [
        /blocked by (our |the )?(network )?(security|firewall)|(access|request|ip( address)?) (has been|was|is) (temporarily |permanently )?(blocked|denied|restricted)/i,
      ],
      status: blockStatuses,
      textMax: blockScreenTextMax,
    },
  },
  {
    id: "firewall",
    confidence: 0.9,
    reason: "A firewall blocks the visitor.",
    source: "https://owasp.org/www-community/Web_Application_Firewall",
    when: {
      text: [
        /block(ed|iert)|denied|forbidden|denegad|negado|bloquead|bloqué|refusé|gesperrt|verweigert|bloccat|negato|geblokkeerd|geweigerd|zablokowan|заблокирован|запрещ|engellen|阻断|拦截|ブロック|차단/i,
        /security (service|solution|system|check)|firewall|\battacks?\b|(illegal|dangerous) (request|parameter|input)|\bwaf\b|(malicious|suspicious|potentially harmful|unsafe) (request|activity|operation|behaviou?r)|potential threat|serviço de segurança|servicio de seguridad|service de sécurité|sicherheitsdienst|servizio di sicurezza|beveiligingsdienst|ataques|attaques|angriffe|attacchi|atakami|атак|saldırı|安全威胁|攻击|攻撃|공격/i,
      ],
      status: blockStatuses,
      textMax: blockScreenTextMax,
      headingsMax: 4,
    },
  },
  {
    id: "captcha-alone",
    confidence: 0.9,
    reason: "The page contains nothing but a captcha.",
    source: "https://docs.hcaptcha.com/",
    when: {
      resource:
        /\/recaptcha\/(api|enterprise)|\/\/challenges\.cloudflare\.com\/turnstile|\/\/[\w.-]*(hcaptcha\.com|arkoselabs\.com|funcaptcha\.com|friendlycaptcha\.|geetest\.com|mtcaptcha\.com|recaptcha\.net)\//,
      textMax: 500,
      fieldsMax: 1,
      headingsMax: 2,
      mediaMax: 3,
      password: false,
      text: [
        /robot|human|captcha|security check|verify (that )?you|you are human|mensch|humain|humano|umano|robô|человек|робот|人机|ロボット|로봇/i,
      ],
    },
  },
  {
    id: "nothing-but-scripts",
    confidence: 0.8,
    reason: "The target blocks the visitor with a page that contains only scripts.",
    source: "https://www.rfc-editor.org/rfc/rfc6585#section-4",
    when: { status: [403, 429], resource: /./, textMax: 20, mediaMax: 0 },
  },
  {
    id: "captcha-characters",
    confidence: 0.9,
    reason: "The page asks the visitor to type the characters shown in an image.",
    source: "https://www.w3.org/TR/turingtest/",
    when: {
      text: [/(enter|type) the characters you see|geben sie die (angezeigten )?zeichen|saisissez les caractères|introduce los caracteres/i],
      textMax: 450,
      fieldsMax: 1,
      headingsMax: 2,
      mediaMax: 4,
      password: false,
    },
  },
  {
    id: "are-you-human",
    confidence: 0.9,
    reason: "The page asks whether the visitor is human.",
    source: "https://developers.cloudflare.com/cloudflare-challenges/",
    when: {
      text: [
        /are you (a )?(human|robot|bot)\b.{0,200}(continue|confirm|verif|prove|unusual|detected|javascript|cookies|access|security|protect|request|captcha)|you('| a)re (a )?(human|not a (ro)?bot)|(ro)?bot (verification|check|detection)|checking your browser|human verification|verify(ing)? (your browser|that you)|enable javascript and cookies to continue|^security (check|verification)|sind sie ein (mensch|roboter)|kein (ro)?bot|vous (êtes|n'êtes) (humain|pas un robot)|no eres un robot|não é um robô|non sei un robot|вы не робот|не робот|我不是机器人|人机验证|私はロボットではありません|로봇이 아닙니다/i,
      ],
      textMax: 350,
      fieldsMax: 1,
      headingsMax: 2,
      mediaMax: 4,
      password: false,
    },
  },
  {
    id: "human-phrases",
    confidence: 0.85,
    reason: "The page asks whether the visitor is human.",
    source: "https://www.w3.org/TR/turingtest/",
    when: { says: ["human"], textMax: 600, mainMax: 400, headingsMax: 2, fieldsMax: 1, mediaMax: 4, buttonsMax: 3, password: false },
  },
];
