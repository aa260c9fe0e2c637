/** Pages that ask the visitor to solve something before they show their content. */

import type { RuleOfKind } from "../rule.ts";

export const captchas: RuleOfKind[] = [
  {
    id: "security-check",
    isUnmistakable: true,
    confidence: 0.9,
    reason: "The page shows its content only after the visitor passes a check.",
    source: "https://docs.crowdsec.net/u/bouncers/intro/",
    when: {
      text: [
        /(请|請)(先)?完成.{0,8}(验证|驗證)|^.{0,40}verify (that )?(you're|you are) (a )?human\b|\b(vul|lösen?|remplissez|résolvez|completa|resuelv[ae]|resolva|preencha|risolvi|compila|rozwiąż|wypełnij|пройдите|решите|введите)\b.{0,20}captcha|\b(complete|pass|solve|finish|perform) (the|this|a|our) (quick |short |simple )?(security|captcha|human|browser|anti-?bot|bot|verification)[ -]?(check|verification|challenge|captcha|puzzle|test)?\b.{0,60}(to (access|continue|proceed|visit|view|reach)\b|before (you|accessing|continuing|proceeding)\b)|\b(sicherheits(über)?prüfung|überprüfung|captcha)\b.{0,30}\b(um|damit|bevor)\b.{0,20}\b(web)?(site|seite)\b|(contrôle de sécurité|vérification|captcha).{0,30}pour accéder (au|à (ce|notre)) site|(verificación|control) de seguridad.{0,30}para (acceder|entrar) .{0,10}(sitio|página|web)\b|verificação de segurança.{0,30}para (acessar|entrar) .{0,10}(site|página)\b|(verifica|controllo) di sicurezza.{0,30}per accedere .{0,10}(sito|pagina)\b|^.{0,120}please (complete|pass|solve) (the|this|a) (security|captcha|human|verification)|security check (has been |is )?powered by|(to (access|continue to|reach|open|view)|para (acessar|acceder a|ver)|pour accéder à|um auf|per accedere a) (this|the|essa|esta|cette|diese|questa) (page|website|site|link|página|seite|pagina|sitio|lien)\b[^.]{0,30}\b(answer|solve|responda|responde|résolvez|répondez|lösen|beantworten|rispondi)\b/i,
      ],
      textMax: 700,
      headingsMax: 4,
      fieldsMax: 1,
      buttonsMax: 3,
      mediaMax: 3,
      password: false,
    },
  },
  {
    id: "must-be-human",
    isUnmistakable: true,
    confidence: 0.9,
    reason: "The page asks whether the visitor is human.",
    source: "https://www.w3.org/TR/turingtest/",
    when: {
      text: [
        /\bwe (need|have|want) to (make sure|be sure|ensure|verify|check|confirm) (that )?you('re| are) (a )?(human|real person|not a (ro)?bot)|müssen (wir )?(sicherstellen|überprüfen|prüfen), (dass|ob) (sie|du) (ein mensch|kein (ro)?bot)|nous devons (vérifier|nous assurer|confirmer) que vous êtes (bien )?(un )?(humain|être humain)|(necesitamos|debemos) (verificar|comprobar|asegurarnos de|confirmar) que (eres|es|sea) (un )?(humano|persona)|precisamos (verificar|confirmar|garantir|ter certeza de) que (você )?(é|seja) (um )?(humano|pessoa)|dobbiamo (verificare|accertarci|assicurarci) che (tu )?(sia|sei) (un )?(umano|essere umano)|(необходимо|нужно|должны) (убедиться|проверить|удостовериться),? что вы (человек|не (ро)?бот)|(потрібно|маємо) (переконатися|перевірити),? що ви (людина|не робот)/i,
      ],
      textMax: 1_500,
      headingsMax: 4,
      fieldsMax: 1,
      buttonsMax: 3,
      mediaMax: 3,
      password: false,
    },
  },
  {
    id: "press-and-hold",
    confidence: 0.95,
    reason: "The page asks the visitor to press and hold a button.",
    source: "https://docs.humansecurity.com/applications/challenge",
    when: {
      text: [/press (&|and) hold/i, /(you are|you're|are you) (a )?(human|not a (ro)?bot)|confirm (that )?you/i],
      textMax: 300,
      headingsMax: 1,
    },
  },
  {
    id: "check-form",
    confidence: 0.9,
    reason: "The page shows its content only after the visitor passes a check.",
    source: "https://yandex.cloud/en/docs/smartcaptcha/",
    when: {
      text: [/i'm not a robot|完成验证后即可继续|you and not a robot|(click|tap|press) the button .{0,20}continue shopping/i],
      textMax: 300,
      headingsMax: 1,
      fieldsMax: 1,
      mediaMax: 4,
    },
  },
  {
    id: "captcha-form",
    isUnmistakable: true,
    confidence: 0.9,
    reason: "The page shows its content only after the visitor passes a check.",
    source: "https://www.w3.org/TR/turingtest/",
    when: {
      text: [
        /(enter|type|solve|complete) (the|this) (captcha .{0,20}to (continue|proceed|request)|(characters|letters|text|code|symbols|digits|numbers|words).{0,30}(image|picture))|(zeichen|buchstaben).{0,30}\bbild.{0,20} ein\b|caract[eè]res.{0,40}image|(caracteres|letras).{0,40}imagen|(caracteres|letras).{0,40}imagem|введите (символы|цифры|текст|буквы|код) .{0,20}(с|на) (картинк[еи]|изображени[ия])|输入.{0,12}(图片|图中|下面|下方|所示).{0,12}(字符|验证码|数字)|(captcha|请输入) ?(验证码|驗證)|画像.{0,15}文字.{0,8}入力|그림.{0,10}(문자|숫자)/i,
        /automat|robot|\bbots?\b|suspicious|unusual|traffic|too many|to (continue|proceed)|human|人類|人类|不尋常|menschlich|inhabituel|sospechos|inusual|incomum|автомат|робот|подозрительн|продолж|自动|自動|频繁|异常|異常|机器|继续访问|ロボット|アクセス|로봇|자동/i,
      ],
      textMax: 350,
      headingsMax: 2,
      fieldsMin: 1,
      fieldsMax: 1,
      mediaMax: 3,
      buttonsMax: 3,
      password: false,
    },
  },
  {
    id: "captcha-title",
    isUnmistakable: true,
    confidence: 0.85,
    reason: "The page contains nothing but a captcha.",
    source: "https://www.w3.org/TR/turingtest/",
    when: {
      title: /^\W{0,3}(re)?captcha( check| verification)?\W{0,3}$/i,
      textMax: 60,
      fieldsMax: 2,
      buttonsMax: 2,
      headingsMax: 1,
      mediaMax: 2,
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
];
