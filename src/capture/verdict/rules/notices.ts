/** Pages that are nothing but a notice, recognized by the kinds of words in it rather than by its sentences. */

import type { RuleOfKind } from "../rule.ts";
import { signInPath } from "./login-walls.ts";

export const notices: RuleOfKind[] = [
  {
    id: "notice",
    isUnmistakable: true,
    confidence: 0.8,
    reason: "The page is nothing but a notice that something is unavailable, refused or out of date.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15",
    when: { notice: "wrong" },
  },
  {
    id: "old-browser",
    confidence: 0.8,
    reason: "The page says that it does not support the browser.",
    source: "https://browser-update.org/",
    when: { headlineSays: "oldBrowser", textMax: 900, mainMax: 600, headingsMax: 7, fieldsMax: 0, buttonsMax: 5, password: false },
  },
  {
    id: "status-title",
    isUnmistakable: true,
    confidence: 0.8,
    reason: "The page's title is an error status.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15",
    when: {
      title:
        /^\W{0,3}((http |error |code ){0,2}[45]\d\d\W{1,3}(unauthorized|forbidden|not found|not acceptable|conflict|gone)|((http |error |code ){0,2}[45]\d\d\W{1,3})?(bad request|payment required|page not found|method not allowed|request time-?out|too many requests|unavailable for legal reasons|internal server error|not implemented|bad gateway|service unavailable|gateway time-?out))(\W{1,3}[|—–:·-]?\W{0,3}[^|—–·]{1,40})?$/i,
      text: [
        /\byou('ve| have)? (encountered|reached|requested|tried|hit|followed)|\byou (are|were) (looking|trying)|\bour (\w{1,20} )?team has been|\b(oops|whoops|oh no|uh oh|sorry)\b|(go|back|return|take me) .{0,15}\bhome/i,
      ],
      textMax: 800,
      mainMax: 700,
      headingsMax: 2,
      fieldsMax: 1,
      mediaMax: 2,
      buttonsMax: 4,
      password: false,
    },
  },
];

export const soonNotices: RuleOfKind[] = [
  {
    id: "soon-notice",
    isUnmistakable: true,
    confidence: 0.8,
    reason: "The page only says that its site is coming soon.",
    source: "https://hestiacp.com/docs/",
    when: { notice: "soon" },
  },
];

export const hotspots: RuleOfKind[] = [
  {
    id: "internet-access",
    isUnmistakable: true,
    confidence: 0.8,
    reason: "A network asks the visitor to sign in before it shows the page.",
    source: "https://docs.netgate.com/pfsense/en/latest/captiveportal/",
    when: {
      says: ["internet"],
      text: [
        /log ?(in|on)|sign ?in|connect|accept|agree|password|voucher|token|anmeld|verbind|akzept|connexion|connect|accept|iniciar|ingres|conect|contraseña|entrar|logue|senha|acced|collega|inlog|verbind|zaloguj|połącz|přihlá|připoj|jelentkez|csatlakoz|pieslēdz|lietotāj|prisijung|войти|войдите|вход|подключ|увійти|giriş|bağlan|σύνδεση|تسجيل|اتصال|ورود|התחבר|เข้าสู่|เชื่อมต่อ|đăng nhập|kết nối|masuk|login|ログイン|接続|로그인|접속|登录|连接|认证/i,
      ],
      requestedPath: { not: signInPath },
      textMax: 300,
      headingsMax: 2,
      fieldsMax: 3,
      buttonsMin: 1,
      buttonsMax: 3,
      mediaMax: 3,
    },
  },
  {
    id: "sign-in-providers",
    isUnmistakable: true,
    confidence: 0.8,
    reason: "The page only offers to sign in with other services.",
    source: "https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest",
    when: {
      headlineSays: "signIn",
      providersMin: 2,
      requestedPath: { not: signInPath },
      textMax: 450,
      mainMax: 350,
      headingsMax: 3,
      fieldsMax: 3,
      mediaMax: 3,
    },
  },
];
