/** Sign-in pages shown instead of the requested page. */

import type { RuleOfKind } from "../rule.ts";

const signIn =
  "log[-_]?in|sign[-_]?in|sign[-_]?on|sign[-_]?up|auth-?wall|register|anmelden|anmeldung|einloggen|connexion|identification|iniciar-?sesion|acceso|accedi|auth|authenticate|authentication|authorize|oauth2?|openid-connect|sso|saml2?|password";
/** Matches only whole words in a path, so not `/authors` or `/accessories`. */
export const signInPath = new RegExp(`(^|[/_.-])(${signIn})([/_.-]|$)`, "i");
const accountPath = new RegExp(`(^|[/_.-])(${signIn}|accounts?|sessions?|users?|members?)([/_.-]|$)`, "i");

export const loginWalls: RuleOfKind[] = [
  {
    id: "sign-in-service",
    confidence: 0.95,
    reason: "The target redirects to a sign-in service.",
    source: "https://www.rfc-editor.org/rfc/rfc6749#section-4.1",
    when: {
      leftHost: true,
      shownHost:
        /^(accounts\.google\.com|login\.(microsoftonline|live|yahoo|salesforce|xero)\.com|appleid\.apple\.com|id\.atlassian\.com|signin\.aws\.amazon\.com|(www\.)?(facebook|linkedin)\.com|[\w-]+\.(okta|oktapreview|auth0|onelogin|duosecurity|cloudflareaccess|b2clogin)\.com)$/,
      shownPath: /log-?in|sign-?in|auth|sso|checkpoint|v3|oauth|saml|\/cdn-cgi\/access/i,
    },
  },
  {
    id: "sign-in-form",
    confidence: 0.95,
    reason: "The page is a sign-in form at a different URL than the requested one.",
    source: "https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill",
    when: { password: 1, shownPath: signInPath, requestedPath: { not: signInPath }, textMax: 1_500 },
  },
  {
    id: "sign-in-short",
    isUnmistakable: true,
    confidence: 0.85,
    reason: "The page is a sign-in form at a different URL than the requested one.",
    source: "https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill",
    when: { password: 1, newPassword: false, shownPath: signInPath, requestedPath: { not: signInPath }, textMax: 300, fieldsMax: 3 },
  },
  {
    id: "account-form",
    confidence: 0.9,
    reason: "The page is a sign-in form at a different URL than the requested one.",
    source: "https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill",
    when: { password: 1, shownPath: accountPath, requestedPath: { not: accountPath }, textMax: 1_500 },
  },
  {
    id: "sign-in-words",
    confidence: 0.85,
    reason: "The page requires signing in before it shows its content.",
    source: "https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill",
    when: {
      password: 1,
      headline:
        /\b(log|sign) ?in\b|anmeld|einlogg|connexion|se connecter|s'identifier|identifiez-vous|iniciar sesión|\bacceso\b|\baccedi\b|entrar|inloggen|zaloguj|logga in|log ind|logg inn|kirjaudu|giriş yap|přihlá[sš]|bejelentkez|σύνδεση|autentific|войти|вход|увійти|登录|登入|ログイン|로그인/i,
      requestedPath: { not: signInPath },
      textMax: 900,
      headingsMax: 2,
    },
  },
  {
    id: "sign-in-flow",
    confidence: 0.85,
    reason: "The target redirects to the first step of a sign-in: entering a user name, or choosing a sign-in service.",
    source: "https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest",
    when: {
      shownPath: signInPath,
      requestedPath: { not: signInPath },
      text: [
        /\b(log|sign) ?in\b|anmelden|einloggen|se connecter|connectez-vous|iniciar sesión|inicia sesión|accedi|entrar|inloggen|zaloguj|войти|登录|登入|ログイン|로그인/i,
      ],
      textMax: 600,
      headingsMax: 2,
      fieldsMax: 2,
      mediaMax: 3,
    },
  },
  {
    id: "sign-in-main",
    confidence: 0.85,
    reason: "The main part of the page is a sign-in form.",
    source: "https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill",
    when: { password: 1, newPassword: false, mainMax: 400, fieldsMax: 2, requestedPath: { not: signInPath }, textMax: 1_500 },
  },
  {
    id: "sign-in-title",
    isUnmistakable: true,
    confidence: 0.85,
    reason: "The page is titled as a sign-in page, and is a form for it.",
    source: "https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill",
    when: {
      password: 1,
      newPassword: false,
      title:
        /(^|[|·:–—-])\W{0,3}((user|admin(istrator)?|member|customer|client|account) )?(log[ -]?(in|on)|sign[ -]?(in|on)|anmelden|anmeldung|einloggen|connexion|se connecter|iniciar sesión|acceso|accedi|entrar|inloggen|zaloguj( się)?|logowanie|logga in|log ind|logg inn|kirjaudu( sisään)?|giriş( yap)?|přihlášení|bejelentkezés|autentificare|σύνδεση|вход|войти|авторизация|вхід|увійти|登录.{0,12}|登入.{0,12}|登錄.{0,12}|ログイン|로그인|đăng nhập|masuk|เข้าสู่ระบบ|تسجيل الدخول|ورود|התחברות|लॉग इन)( (page|seite|to .{1,30}))?(\W{0,3}$| ?[|·:–—-] )/i,
      fieldsMax: 3,
      mainMax: 400,
      textMax: 700,
      requestedPath: { not: signInPath },
    },
  },
  {
    id: "hotspot",
    isUnmistakable: true,
    confidence: 0.85,
    reason: "A network asks the visitor to sign in before it shows the page.",
    source: "https://docs.netgate.com/pfsense/en/latest/captiveportal/",
    when: {
      password: 1,
      headline: /\bwi-?fi\b|\bhotspot\b|captive portal|guest (network|internet|access)|internet (access|login)/i,
      action:
        /^(ok\W*$|continu|connect|log ?in|sign ?in|accept|access|get online|registrati|accedi|entrar|ingresar|conectar|acceder|se connecter|connexion|anmelden|verbinden|einloggen|inloggen|zaloguj|войти|подключиться|接続|登录|连接|ログイン|로그인|접속)/i,
      fieldsMax: 2,
      buttonsMax: 3,
      headingsMax: 3,
      requestedPath: { not: signInPath },
      textMax: 700,
    },
  },
  {
    id: "sign-in-alone",
    confidence: 0.85,
    reason: "The page consists almost entirely of a sign-in form.",
    source: "https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#autofill",
    when: {
      password: 1,
      newPassword: false,
      outsideFormMax: 90,
      fieldsMax: 3,
      headingsMax: 3,
      requestedPath: { not: signInPath },
      textMax: 1_500,
    },
  },
  {
    id: "sign-in-flow-phrases",
    confidence: 0.85,
    reason: "The target redirects to the first step of a sign-in: entering a user name, or choosing a sign-in service.",
    source: "https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest",
    when: {
      shownPath: signInPath,
      requestedPath: { not: signInPath },
      headlineSays: "signIn",
      textMax: 600,
      headingsMax: 2,
      fieldsMax: 2,
      mediaMax: 3,
    },
  },
  {
    id: "sign-in-step",
    confidence: 0.8,
    reason: "The page is the first step of a sign-in: entering a user name, or choosing a sign-in service.",
    source: "https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest",
    when: {
      headlineSays: "signIn",
      actionSays: "next",
      requestedPath: { not: signInPath },
      textMax: 500,
      mainMax: 250,
      headingsMax: 2,
      fieldsMin: 1,
      fieldsMax: 2,
      mediaMax: 3,
    },
  },
  {
    id: "sign-in-code",
    confidence: 0.85,
    reason: "The page is a later step of a sign-in: entering a code that was sent to the visitor or that an app shows.",
    source: "https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#attr-fe-autocomplete-one-time-code",
    when: {
      text: [
        /\b(enter|entering|type|provide)\b.{0,40}\b(authori[sz]ation|authentication|verification|security|one-time|login|[4-8]-digit) (pass)?code\b/i,
      ],
      requestedPath: { not: signInPath },
      textMax: 400,
      mainMax: 300,
      headingsMax: 2,
      fieldsMin: 1,
      fieldsMax: 8,
      mediaMax: 3,
      buttonsMax: 4,
    },
  },
  {
    id: "sign-in-choice",
    confidence: 0.85,
    reason: "The page only offers to sign in with another service.",
    source: "https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest",
    when: {
      action:
        /^\W*((log|sign) ?in (with|using|via|through) \S|(continue|proceed) with (google|github|gitlab|microsoft|apple|facebook|discord|twitter|linkedin|sso|saml|openid)|weiter mit (google|apple|microsoft|facebook)|continuer avec (google|apple|microsoft|facebook)|continu[ae]r con (google|apple|microsoft|facebook)|continuar com (google|apple|microsoft|facebook)|continua con (google|apple|microsoft|facebook)|doorgaan met (google|apple|microsoft|facebook)|kontynuuj (z|przez) \S|продолжить (с|через) \S|(google|apple|facebook).{0,6} ile devam|google ile giriş|使用.{1,20}(继续|登入)|.{1,20}で(続行|続ける|サインイン)|.{1,12}(으로|로) (계속|시작)|anmelden (mit|über) \S|mit \S{2,30} anmelden|se connecter (avec|via) \S|iniciar sesión con \S|entrar com \S|accedi con \S|inloggen met \S|zaloguj się (przez|za pomocą) \S|войти (через|с помощью) \S|使用.{1,20}登录|.{1,20}でログイン|.{1,20}로 로그인)/i,
      requestedPath: { not: signInPath },
      textMax: 400,
      mainMax: 300,
      headingsMax: 2,
      fieldsMax: 2,
      mediaMax: 3,
      buttonsMax: 8,
    },
  },
];
