/** Failed applications: their own messages, and framework error reports. */

import type { RuleOfKind } from "../rule.ts";

export const applicationErrors: RuleOfKind[] = [
  {
    id: "application-error",
    confidence: 0.9,
    reason: "The page shows an application error.",
    source: "https://nextjs.org/docs/messages",
    when: {
      text: [
        /application error: a (client|server)-side exception|there has been a critical error on this website|error establishing a database connection|whitelabel error page|uncaught (exception|error|typeerror|pdoexception)|mysqli?_connect\(|sqlstate\[|access denied for user|too many connections|database (connection )?(error|failed)|connessione al database|verbindung zur datenbank|połączeni\w+ z bazą|conexión con la base de datos|connexion à la base de données|fatal error:|internal server error|unhandled (runtime|exception)|whoops, looks like something went wrong|(error)?exception in [\w./]+ (on )?line \d+|this (application|app) (is currently unavailable|crashed)|an error occurred in the application/i,
      ],
      textMax: 450,
      headingsMax: 2,
    },
  },
  {
    id: "nothing-but-error",
    confidence: 0.8,
    reason: "The page shows only an error message.",
    source: "https://react.dev/reference/react/Component#catching-rendering-errors-with-an-error-boundary",
    when: {
      text: [
        /something went wrong|(encountered|hit) an (internal|unexpected) (server )?error|an (unexpected )?error (has )?occurred|etwas ist schief ?gelaufen|ein fehler ist aufgetreten|une erreur (est survenue|s'est produite)|algo salió mal|(ha ocurrido|se ha producido) un error|algo deu errado|ocorreu um erro|qualcosa è andato storto|si è verificato un errore|er is iets mis ?gegaan|coś poszło nie tak|wystąpił błąd|что-то пошло не так|произошла ошибка|bir hata oluştu|出错了|エラーが発生しました|오류가 발생/i,
      ],
      textMax: 250,
      headingsMax: 1,
      fieldsMax: 0,
      mediaMax: 2,
    },
  },
  {
    id: "needs-script",
    confidence: 0.8,
    reason: "The page says that it requires JavaScript, even though JavaScript ran.",
    source: "https://create-react-app.dev/docs/using-the-public-folder/",
    when: {
      text: [
        /(enable|activate|turn on|requires?|needs?) javascript|javascript (must be enabled|(is |must be )?(required|disabled|not enabled))|javascript (aktivieren|einschalten)|(aktivieren|activer|activez|habilit\w{1,8}|activ\w{1,8}|attiva\w{0,8}|включите) (sie )?javascript/i,
      ],
      textMax: 200,
      headingsMax: 1,
      fieldsMax: 0,
      mediaMax: 1,
    },
  },
  {
    id: "script-off",
    confidence: 0.8,
    reason: "The page says that it requires JavaScript, even though JavaScript ran.",
    source: "https://create-react-app.dev/docs/using-the-public-folder/",
    when: {
      text: [
        /\byour browser|\b(ihr|ihrem|dein|deinem) browser|votre navigateur|(tu|su|seu|tuo|suo) (navegador|browser)|(uw|je) browser|(twoj|swoj)\S{0,3} przegląda|вашего браузера|ваш браузер|вашого браузера|tarayıcı|浏览器|ブラウザ|브라우저/i,
        /\b(disabled|enable|turned off|turn on|deaktiviert|aktivier|désactiv|activ|desactiv|desativ|ativ|habilit|disattiv|attiv|uitgeschakeld|inschakel|wyłącz|włącz|vypnut|zapn)\w{0,8}\b.{0,30}javascript|javascript.{0,30}\b(disabled|turned off|deaktiviert|désactivé|desactivado|desativado|disattivato|uitgeschakeld|wyłącz|vypnut|etkin|devre)|(отключ|выключ|включ|вимк|увімк)\S{0,8} javascript|javascript \S{0,12}(отключ|выключ|вимк)|(启用|禁用|开启|关闭).{0,6}javascript|javascript.{0,6}(有効|無効|활성화|비활성)/i,
      ],
      textMax: 700,
      mainMax: 600,
      headingsMax: 2,
      fieldsMax: 0,
      mediaMax: 2,
      buttonsMax: 2,
    },
  },
  {
    id: "failed-phrases",
    confidence: 0.8,
    reason: "The page shows only an error message.",
    source: "https://react.dev/reference/react/Component#catching-rendering-errors-with-an-error-boundary",
    when: { headlineSays: "failed", textMax: 500, mainMax: 400, headingsMax: 2, fieldsMax: 0, mediaMax: 2 },
  },
  {
    id: "status-line",
    confidence: 0.9,
    reason: "The page's heading is an error status.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15",
    when: {
      headline:
        /^(.{1,60} \| )?(http )?(error )?(4\d\d|5\d\d)( error)?\W{1,3}(bad request|unauthorized|authorization required|payment required|forbidden|access denied|(\w{1,20} )?not found|method not allowed|request time-?out|gone|too many requests|internal (server )?error|not implemented|bad gateway|(web ?)?service (temporarily |currently )?unavailable|gateway time-?out|unavailable for legal reasons|not acceptable|conflict|length required|payload too large|uri too long|unsupported media type|expectation failed|unprocessable (entity|content)|http version not supported|insufficient storage|loop detected|network authentication required)\W{0,3}$|^.{0,60}\b5\d\d\W{1,3}(web ?)?service (temporarily |currently )?unavailable\W*$|^(web ?)?service (temporarily |currently )?unavailable\W{1,3}5\d\d\W*$/i,
      textMax: 200,
      headingsMax: 2,
    },
  },
  {
    id: "passenger",
    isUnmistakable: true,
    confidence: 0.95,
    reason: "The application could not be started.",
    source: "https://www.phusionpassenger.com/library/admin/nginx/log_file/",
    when: {
      title: /^(we're sorry, but something went wrong|web application could not be started)/i,
      text: [/phusion passenger/i],
      textMax: 3_000,
    },
  },
  {
    id: "jenkins-starting",
    isUnmistakable: true,
    confidence: 0.9,
    reason: "The application is not ready yet.",
    source: "https://www.jenkins.io/doc/",
    when: {
      title: /^(starting jenkins|jenkins is (starting|restarting|getting ready))\W*$/i,
      text: [/please wait|getting ready|\breload\b/i],
      textMax: 300,
    },
  },
  {
    id: "debug-page",
    isUnmistakable: true,
    confidence: 0.95,
    reason: "The page is a web framework's error report.",
    source: "https://docs.djangoproject.com/en/5.1/ref/settings/#debug",
    when: {
      headline: /error|exception|not found|does ?not ?exist|no route/i,
      text: [
        /you're seeing this error because you have .{0,40}in your django settings|the debugger caught an exception in your wsgi application|routing error no route matches|this page is shown because .{0,20}debug/i,
      ],
    },
  },
  {
    id: "debug-title",
    confidence: 0.95,
    reason: "The page is a web framework's error report.",
    source: "https://docs.djangoproject.com/en/5.1/ref/settings/#debug",
    when: { title: /^(\w{2,60}(error|exception|doesnotexist)|page not found) at \/\S{0,200}$/i },
  },
];
