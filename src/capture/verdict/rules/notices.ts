/** Pages that are nothing but a notice: an error status, a refused browser, or a sign-in without a password. */

import type { RuleOfKind } from "../rule.ts";
import { signInPath } from "./login-walls.ts";

/** Says it to the visitor, rather than about errors in general. */
const toVisitor =
  /\byou('ve| have)? (encountered|reached|requested|tried|hit|followed)|\byou (are|were) (looking|trying)|\bour (\w{1,20} )?team has been|\b(oops|whoops|oh no|uh oh|sorry)\b|(go|back|return|take me) .{0,15}\bhome|\bleider\b|désolé|lo sentimos|desculpe|spiacenti|helaas|przepraszamy|извините|к сожалению|抱歉|申し訳|죄송/i;
const errorScreen = { textMax: 900, mainMax: 750, headingsMax: 2, fieldsMax: 1, mediaMax: 2, buttonsMax: 4, password: false } as const;

export const notices: RuleOfKind[] = [
  {
    id: "old-browser",
    confidence: 0.8,
    reason: "The page says that it does not support the browser.",
    source: "https://browser-update.org/",
    when: { headlineSays: "oldBrowser", textMax: 900, mainMax: 800, headingsMax: 7, fieldsMax: 0, buttonsMax: 5, password: false },
  },
  {
    id: "status-title",
    isUnmistakable: true,
    confidence: 0.8,
    reason: "The page's title or heading is an error status.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15",
    when: {
      headline:
        /^\W{0,3}((http |error |code ){0,2}[45]\d\d\W{1,3}(unauthorized|forbidden|not found|not acceptable|conflict|gone|access denied)|((http |error |code ){0,2}[45]\d\d\W{1,3})?(bad request|payment required|page not found|method not allowed|request time-?out|too many requests|unavailable for legal reasons|internal server error|not implemented|bad gateway|service unavailable|gateway time-?out))(\W{1,3}[|—–:·-]?\W{0,3}[^|—–·]{1,40})?$/i,
      text: [toVisitor],
      ...errorScreen,
    },
  },
  {
    id: "error-code",
    isUnmistakable: true,
    confidence: 0.8,
    reason: "The page's heading is an error code.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15",
    when: {
      headline: /^(?!.{0,80}\?).{0,20}\b(http|error|fehler|erreur|erro|errore|ошибка)( error| code| status)?[ :#-]{1,2}[45]\d\d\b.{0,50}$/i,
      text: [toVisitor, /^(?!.*\b(glossary|what is|how to|tutorial|guide|fix it|causes)\b)/i],
      ...errorScreen,
    },
  },
];

export const signInNotices: RuleOfKind[] = [
  {
    id: "internet-sign-in",
    isUnmistakable: true,
    confidence: 0.8,
    reason: "A network asks the visitor to sign in before it shows the page.",
    source: "https://docs.netgate.com/pfsense/en/latest/captiveportal/",
    when: { says: ["internet"], headlineSays: "signIn", requestedPath: { not: signInPath }, textMax: 300, headingsMax: 2, mediaMax: 3 },
  },
  {
    id: "site-membership",
    isUnmistakable: true,
    confidence: 0.85,
    reason: "The page requires signing in.",
    source: "https://help.webflow.com/",
    when: {
      text: [/\ba site membership is required to (view|access|see) this page\b/i],
      requestedPath: { not: signInPath },
      textMax: 1_500,
    },
  },
  {
    id: "no-account-yet",
    isUnmistakable: true,
    confidence: 0.8,
    reason: "The page is the first step of a sign-in: entering a user name, or choosing a sign-in service.",
    source: "https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest",
    when: {
      headlineSays: "signIn",
      text: [
        /(don't|do not) (yet )?have an account|new here\?|noch kein (konto|benutzerkonto|account)|(pas (encore )?de|pas encore un) compte|no tienes (una )?cuenta|não tem (uma )?conta|non hai (ancora )?un account|nog geen account|nie masz (jeszcze )?konta|ještě nemáte účet|nincs (még )?fiók|nu ai (un )?cont|inget konto|ikke en konto|нет аккаунта|немає акаунта|hesabın(ız)? yok|ليس لديك حساب|حساب کاربری ندارید|אין לך חשבון|chưa có tài khoản|belum punya akun|アカウントをお持ちでない|계정이 없|没有账号|没有账户|还没有帐/i,
      ],
      requestedPath: { not: signInPath },
      textMax: 700,
      mainMax: 300,
      headingsMax: 3,
      buttonsMin: 1,
      buttonsMax: 8,
      fieldsMax: 3,
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
