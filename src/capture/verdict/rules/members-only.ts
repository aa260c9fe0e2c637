/** Pages that say that they are only for people who have signed in or subscribed. */

import type { RuleOfKind } from "../rule.ts";
import { signInPath } from "./login-walls.ts";

export const membersOnly: RuleOfKind[] = [
  {
    id: "no-access",
    confidence: 0.85,
    reason: "The page is visible only to people who have access to it.",
    source: "https://support.google.com/drive/answer/2494822",
    when: {
      text: [/^(.{0,80} )?you need access\b|this content is password protected|this (site|forum|community|page) is private/i],
      requestedPath: { not: signInPath },
      textMax: 400,
      headingsMax: 2,
    },
  },
  {
    id: "members-only",
    confidence: 0.85,
    reason: "The page requires signing in.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.2",
    when: {
      text: [
        /(you (must|need to|have to)|please) (be )?(log(ged)? ?in|sign(ed)? ?in)(?! (with|using|via|at|before|when)\b)|(log|sign) in .{0,20}to (continue|view|see|access|read)|connectez-vous .{0,25}pour (lire|continuer|voir|accéder)|melden sie sich (bitte )?an, um|bitte (melden sie sich an|einloggen)|veuillez vous connecter|debes iniciar sesión|inicia sesión para|faça login|du måste logga in|logga in för att|du skal logge ind|du må logge inn|kirjaudu sisään (nähdäksesi|jatkaaksesi)|giriş yap(malısın|manız)|musíte se přihlásit|musisz się zalogować|effettua l'accesso|требуется авторизация|请先登录|ログインしてください|로그인이 필요/i,
      ],
      requestedPath: { not: signInPath },
      textMax: 700,
      mediaMax: 4,
      buttonsMax: 6,
    },
  },
  {
    id: "members-only-phrases",
    confidence: 0.85,
    reason: "The page requires signing in, or a subscription.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.2",
    when: {
      says: ["members"],
      actionSays: "signIn",
      requestedPath: { not: signInPath },
      textMax: 1_000,
      mainMax: 450,
      headingsMax: 4,
      mediaMax: 4,
      buttonsMax: 6,
      fieldsMax: 2,
    },
  },
  {
    id: "paywall",
    isUnmistakable: true,
    confidence: 0.8,
    reason: "The page requires signing in, or a subscription.",
    source: "https://ghost.org/help/public-previews/",
    when: {
      text: [
        /\b(this|the rest of this) (post|article|story|content|page|video|issue|episode) is (only )?(available )?(for|to|reserved for|exclusive to) (our )?(paying |paid |premium )?(subscribers|members)\b|(artikel|beitrag|inhalt) ist (nur|exklusiv) für (abonnent|mitglied)|article est réservé aux abonnés|(artículo|contenido) es (solo|exclusivo) para suscriptores|(conteúdo|matéria|artigo|notícia|reportagem)\b.{0,40} é (exclusiv[oa]|restrit[oa]) (para|a) (os )?(nossos )?assinantes|(articolo|contenuto)\b.{0,20} è riservato (agli|ai nostri) abbonati|artikel is (alleen|exclusief) voor abonnees|(artykuł|treść) .{0,20}(tylko|wyłącznie) dla (subskrybentów|prenumeratorów)|(artikeln|innehållet) är (bara |endast )?för (dig som är )?prenumerant/i,
        /subscribe (now|to)|sign ?in|log ?in|already (have|a)|abonnieren|anmeld|einlogg|connect|suscríbe|sesión|assin(e|ar)|login|abbona|accedi|inlog|zaloguj|logga in/i,
      ],
      textMax: 2_500,
      mainMax: 1_500,
      fieldsMax: 3,
    },
  },
  {
    id: "sign-in-or-up",
    confidence: 0.9,
    reason: "The page requires signing in, or a subscription.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.2",
    when: {
      headline:
        /^(log|sign) ?in or (register|sign ?up|create an account|join)( .{0,15})?\W*$|^(meld (u|je) aan|log in) of (registreer|maak een account)( .{0,25})?\W*$|^(melden sie sich an|anmelden|einloggen) oder registrieren\W*$|^(connectez-vous|se connecter) ou (inscrivez-vous|s'inscrire|créez un compte)\W*$|^(inicia sesión|iniciar sesión) o (regístrate|registrarse|crea una cuenta)\W*$|^(accedi|entra) o (registrati|iscriviti)\W*$|^zaloguj się lub zarejestruj( się)?\W*$|^(войдите|войти) или (зарегистрируйтесь|зарегистрироваться)\W*$/i,
      actionSays: "signIn",
      requestedPath: { not: signInPath },
      textMax: 700,
      mainMax: 500,
      headingsMax: 6,
      mediaMax: 4,
      buttonsMax: 8,
      fieldsMax: 0,
      password: false,
    },
  },
];
