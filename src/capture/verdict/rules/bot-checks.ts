/** Bot checks and blocking screens that don't name a vendor. */

import type { RuleOfKind } from "../rule.ts";
import { blockScreenTextMax, blockStatuses } from "./bot-walls.ts";

export const botChecks: RuleOfKind[] = [
  {
    id: "denied-phrases",
    confidence: 0.85,
    reason: "The page blocks the visitor: because of its address, or because the request seems to be an attack or automated.",
    source: "https://owasp.org/www-community/Web_Application_Firewall",
    when: {
      says: ["denied", "suspicion"],
      text: [
        /^(?!.*(\bwhat to do\b|\bhow (to|do)\b|\bif your (ip|address|network)\b|\bwas tun\b|que faire|qué hacer|o que fazer|cosa fare))/i,
      ],
      textMax: 800,
      mainMax: 700,
      headingsMax: 4,
      fieldsMax: 1,
      mediaMax: 3,
      buttonsMax: 3,
      password: false,
    },
  },
  {
    id: "denied-address",
    confidence: 0.85,
    reason: "The page blocks the visitor, and names the visitor's address.",
    source: "https://owasp.org/www-community/Web_Application_Firewall",
    when: {
      headlineSays: "denied",
      text: [/\bip\W{0,12}\d{1,3}(\.\d{1,3}){3}\b|\bip\W{0,12}[0-9a-f]{1,4}(:[0-9a-f]{0,4}){3,7}/i],
      textMax: 500,
      mainMax: 400,
      headingsMax: 3,
      fieldsMax: 0,
      mediaMax: 3,
      buttonsMax: 3,
      password: false,
    },
  },
  {
    id: "request-blocked",
    confidence: 0.85,
    reason: "A firewall blocks the visitor.",
    source: "https://owasp.org/www-community/Web_Application_Firewall",
    when: {
      text: [
        /\b(your|this|the) (request|access|connection|visit|session) (has been|was|is|looks|appears to be) (blocked|denied|rejected|refused|malicious|suspicious)\b|\byou (are|have been|were) (permanently |temporarily )?(banned|blocked) (from (this|our|the|accessing) (web ?)?(site|server)|by)\b/i,
        /\b(reference|incident|request|support|event|error|ray|trace|block) ?(id|code|number|#)|mistake|in error|firewall|security/i,
      ],
      textMax: 450,
      headingsMax: 3,
      fieldsMax: 1,
      buttonsMax: 3,
      mediaMax: 3,
      password: false,
    },
  },
  {
    id: "firewall-title",
    confidence: 0.9,
    reason: "A firewall blocks the visitor.",
    source: "https://owasp.org/www-community/Web_Application_Firewall",
    when: { title: /防火墙|防火牆|\bwaf\b|web application firewall|ファイアウォール|방화벽/i, status: blockStatuses, textMax: 500 },
  },
  {
    id: "check-title",
    confidence: 0.95,
    reason: "The page checks whether the visitor is a bot.",
    source: "https://docs.imunify360.com/webshield/",
    when: {
      title:
        /^(pardon our interruption|one moment, please\W*|robot challenge screen|client challenge|browsing paused|verify(ing)? (that )?you are (a )?human|百度安全验证|bir dakika lütfen\W*|human verification|.{0,40}\bbot check|(verifying|checking) (your|the) browser\W*)$/i,
      textMax: 700,
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
        /\b(from|on) (either )?your (computer|ip|network|browser)|captcha|verify (that )?you|robot/i,
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
    id: "nothing-but-scripts",
    confidence: 0.8,
    reason: "The target blocks the visitor with a page that contains only scripts.",
    source: "https://www.rfc-editor.org/rfc/rfc6585#section-4",
    when: { status: [403, 429], resource: /./, textMax: 20, mediaMax: 0 },
  },
  {
    id: "are-you-human",
    confidence: 0.9,
    reason: "The page asks whether the visitor is human.",
    source: "https://developers.cloudflare.com/cloudflare-challenges/",
    when: {
      text: [
        /are you (a )?(human|robot|bot)\b.{0,200}(continue|confirm|verif|prove|unusual|detected|javascript|cookies|access|security|protect|request|captcha)|you('| a)re (a )?(human|not a (ro)?bot)|(ro)?bot (verification|check)|checking your browser|human verification|verify(ing)? (your browser|that you)|enable javascript and cookies to continue|^security (check|verification)\b.{0,150}\b(browser|human|(ro)?bots?|captcha|connection)\b|sind sie ein (mensch|roboter)|kein (ro)?bot|vous (êtes|n'êtes) (humain|pas un robot)|no eres un robot|não é um robô|non sei un robot|вы не робот|не робот|我不是机器人|人机验证|私はロボットではありません|로봇이 아닙니다/i,
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
  {
    id: "check-in-progress",
    confidence: 0.85,
    reason: "The page checks the visitor's browser before showing its content.",
    source: "https://developers.cloudflare.com/cloudflare-challenges/",
    when: {
      headline:
        /^\W{0,5}(checking|verifying|validating|analy[sz]ing|(browser|security|connection|integrity|ddos) (check|verification|challenge|protection)|please (wait|stand by)|(just )?(a|one) moment|loading|one more step|javascript challenge|challenge\b|überprüf|sicherheits(prüfung|überprüfung|check)|einen (moment|augenblick)|bitte warten|vérification|(un|une) (instant|moment)|comprobando|verificando|verificación|verificação|um momento|verifica|controllo|провер|подожди|минут|lütfen bekleyin|kontrol|正在(验证|检查|检测)|安全(验证|检查|检测)|请稍(候|等)|しばらく|確認|잠시|확인)/i,
      text: [
        /(check|verify|validat|analy[sz])(ing|e)? (your|the|if your|that your|that you) (browser|connection|request|device|are|site connection)|(your|the) (browser|connection|request) (is being|will be) (checked|verified|validated)|(browser|security|connection|integrity) (check|verification|challenge)|proof[- ]of[- ]work|javascript challenge|(browser|verbindung|anfrage).{0,30}(überprüf|geprüft)|(vérifi|contrôl)\S{0,15} .{0,20}(navigateur|connexion|requête)|(comprobando|verificando|verificar) .{0,20}(navegador|conexión|solicitud)|(verificando|verificar) .{0,20}(navegador|conexão)|(verific|controll)\S{0,15} .{0,20}(browser|connessione)|(провер|безопасност)\S{0,15} .{0,30}(браузер|подключени|соединени|запрос)|(tarayıcı|bağlantı)\S{0,15} .{0,20}(kontrol|doğrula)|(检查|验证|检测).{0,12}(浏览器|连接|访问|环境)|ブラウザ.{0,10}(確認|チェック)|브라우저.{0,10}(확인|검사)/i,
        /please (wait|stand by|allow)|(just )?(a|one) moment|few seconds|up to .{0,6}second|automatic|redirect|shortly|before (you )?(proceed|access|continu)|ray id|enable javascript|turn javascript|einen (augenblick|moment)|bitte warten|sekunden|automatisch|weiterleit|patient|quelques secondes|automatique|redirig|espere|unos segundos|automátic|aguarde|segundos|attend|secondi|automatic|подожди|секунд|автоматич|перенаправ|saniye|bekleyin|请稍(候|等)|秒|自动|しばらく|お待ち|자동|잠시/i,
      ],
      textMax: 600,
      mainMax: 500,
      headingsMax: 4,
      fieldsMax: 0,
      mediaMax: 3,
      buttonsMax: 2,
      password: false,
    },
  },
  {
    id: "address-blocked",
    confidence: 0.9,
    reason: "The page says that the visitor's address is blocked.",
    source: "https://shieldon.io/",
    when: {
      text: [
        /\bthe ip( address)? (you|that you) .{0,20}\b(has been|is) (blocked|banned)|(?<!\b(if|whether|is|when|once|why|unless|how) )\b(your|this) (current )?(ip|network|internet)( ?address)?\b((?!\bnot\b|\bnever\b|n't\b|\?).){0,60}\b(has|have|was|is|are|been) (been )?(temporarily |permanently |currently )?(blocked|banned|black-?listed|denied|restricted(?! to)|rejected)\b|(ihre|deine) ip-?adresse (ist|wurde|war) (vorübergehend |dauerhaft )?(gesperrt|blockiert)|votre (adresse )?ip.{0,40}(bloqu|bannie)|(tu|su|seu|sua) (dirección |endereço )?ip.{0,40}(bloque|bloquead|banead|banid)|(tuo|suo) (indirizzo )?ip.{0,40}bloccat|(uw|je) ip.{0,40}geblokkeerd|ваш (ip|адрес)\S{0,15}.{0,40}(заблокир|забанен)|(您|你)的 ?ip.{0,20}(封|拦截|禁止|黑名单)|ip ?アドレス.{0,20}(ブロック|拒否|制限)|ip.{0,10}차단/i,
      ],
      textMax: 500,
      headingsMax: 3,
      fieldsMax: 1,
      buttonsMax: 2,
      mediaMax: 3,
      password: false,
    },
  },
  {
    id: "check-alone",
    confidence: 0.85,
    reason: "The page checks the visitor's browser before showing its content.",
    source: "https://developers.cloudflare.com/cloudflare-challenges/",
    when: {
      text: [
        /\b((checking|verifying|validating) (your|if|that|the (site|browser|connection|security))\b|verify(ing)? (that )?you are|(bot|human) check|^.{0,30}security check|(browser|bot|human|security) (verification|challenge)|(js|javascript) challenge|proof[- ]of[- ]work)\b/i,
        /\b(browser|request|connection|device|human|robot|client|javascript|captcha)/i,
      ],
      textMax: 150,
      headingsMax: 2,
      fieldsMax: 0,
      mediaMax: 1,
      buttonsMax: 1,
      password: false,
    },
  },
];
