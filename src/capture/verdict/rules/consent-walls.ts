/** Consent and age walls. */

import type { RuleOfKind } from "../rule.ts";

const consentWords =
  /cookie|consent|gdpr|(information|data) (that )?we collect|(value|about|manage|control) your privacy|your privacy (choices|settings|preferences|matters|is important)|privacy (settings|choices|preferences|cent(er|re))|evästeet|çerez|soukromí|datenschutz|einwilligung|zustimm|confidentialité|consentement|privacidad|consentimiento|privacidade|consenso|riservatezza|toestemming|prywatno|конфиденциальн|файлы cookie|隐私|同意|プライバシー|쿠키|개인정보/i;
const consentActions =
  /^save( (my |your )?(preferences|settings|choices|selection|consent))?( and (close|exit|continue))?$|^(auswahl|einstellungen|präferenzen) speichern$|(voorkeuren|keuze|selectie) opslaan|enregistrer mes (choix|préférences)|guardar (mis |mi )?(preferencias|selección|configuración|ajustes)|zapisz (wybór|ustawienia|moje)|accept|agree|^consent$|consentir|acconsent|einwilligen|allow all|reject|akzeptier|zustimmen|ablehn|einverstanden|accepter|refuser|aceptar|rechazar|aceitar|rejeitar|accetta|rifiuta|accepteren|weigeren|akkoord|toestaan|akceptuj|odrzuć|přijm|odmít|souhlas|godkänn|tillåt|avvisa|godta|avslå|tillad|afvis|hyväksy|hylkää|kabul|reddet|elfogad|elutasít|αποδοχή|απόρριψη|refuz|prihvati|odbij|прийняти|відхилити|принять|отклонить|согласен|接受|同意|拒否|拒绝|동의|거부/i;

const consentPath = /(^|[/_.-])(collect)?(consents?|cookie-?wall|privacy-?(gate|wall)|cmp)([/_.-]|$)/i;

export const consentWalls: RuleOfKind[] = [
  {
    id: "consent-host",
    confidence: 0.97,
    reason: "The target redirects to a page that asks for consent first.",
    source: "https://policies.google.com/technologies/cookies",
    when: { leftHost: true, shownHost: /^(consent\.(google|youtube|yahoo)\.[a-z.]+|guce\.[\w.]+|cmp\.[\w.-]+|consent\.[\w.-]+)$/ },
  },
  {
    id: "consent-form",
    confidence: 0.95,
    reason: "The page asks for consent first.",
    source: "https://policies.google.com/technologies/cookies",
    when: {
      resource: /\/\/consent\.(google|youtube|yahoo)\.[a-z.]+\/|\/\/guce\.[\w.]+\//,
      text: [consentWords, consentActions],
      textMax: 2_000,
    },
  },
  {
    id: "consent-path",
    confidence: 0.85,
    reason: "The target redirects to a page that asks for consent first.",
    source: "https://iabeurope.eu/transparency-consent-framework/",
    when: {
      shownPath: consentPath,
      requestedPath: { not: consentPath },
      text: [consentWords, consentActions],
      textMax: 2_000,
      fieldsMax: 1,
    },
  },
  {
    id: "consent-frame",
    confidence: 0.9,
    reason: "A consent dialog in a frame covers the page.",
    source: "https://docs.sourcepoint.com/",
    when: { overlay: [/\bSP Consent Message\b|privacy-mgmt\.com|consent(-|\b)(message|manager|notice)|\bcmp\b/i], headingsMax: 20 },
  },
  {
    id: "consent-layer",
    confidence: 0.85,
    reason: "A dialog that asks for consent covers the page.",
    source: "https://iabeurope.eu/transparency-consent-framework/",
    when: { overlay: [consentWords], overlayAction: consentActions },
  },
  {
    id: "consent-layer-phrases",
    confidence: 0.85,
    reason: "A dialog that asks for consent covers the page.",
    source: "https://iabeurope.eu/transparency-consent-framework/",
    when: { overlaySays: "consent", overlayActionSays: "agree" },
  },
  {
    id: "consent-layer-words",
    confidence: 0.85,
    reason: "A dialog that asks for consent covers the page.",
    source: "https://iabeurope.eu/transparency-consent-framework/",
    when: {
      overlay: [
        consentWords,
        /\b(accept|agree|allow)( all)?\W{1,10}(reject|decline|deny|refuse)|\b(reject|decline|deny|refuse)( all)?\W{1,10}(accept|agree|allow)|(akzeptieren|zustimmen|annehmen)\W{1,10}ablehnen|ablehnen\W{1,10}(akzeptieren|zustimmen|annehmen)|accepter\W{1,10}refuser|refuser\W{1,10}accepter|aceptar\W{1,10}rechazar|rechazar\W{1,10}aceptar|aceitar\W{1,10}(rejeitar|recusar)|(rejeitar|recusar)\W{1,10}aceitar|accett[ao]\W{1,10}rifiut[ao]|rifiut[ao]\W{1,10}accett[ao]|accepteren\W{1,10}weigeren|weigeren\W{1,10}accepteren/i,
      ],
    },
  },
  {
    id: "age-layer",
    confidence: 0.85,
    reason: "A dialog that asks for the visitor's age covers the page.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.4",
    when: { overlaySays: "age" },
  },
  {
    id: "birth-layer",
    isUnmistakable: true,
    confidence: 0.85,
    reason: "A dialog that asks for the visitor's age covers the page.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.4",
    when: {
      overlay: [
        /(date|year|month|day) of (your )?birth|birth ?(date|year|day)|when were you born|fecha de nacimiento|año de nacimiento|geburts(datum|jahr|tag)|date de naissance|année de naissance|data (de nascimento|di nascita)|ano de nascimento|geboorte(datum|jaar)|data urodzenia|дат[аыу] рождения|год рождения|出生(日期|年份|年月)|生年月日|생년월일/i,
        /\bage\b|old enough|(18|19|20|21) or older|legal (age|drinking|smoking)|\balter\b|alt genug|volljährig|mayor(es)? de edad|\bedad\b|majeur|\bâge\b|\bidade\b|maior de|maggiorenne|\betà\b|leeftijd|pełnoletni|возраст|совершеннолет|年龄|成年|年齢|성인/i,
        /^(?!.*\b(password|passwort|contraseña|mot de passe|senha|wachtwoord|hasło|пароль)).{1,900}$/i,
      ],
    },
  },
  {
    id: "age-page",
    confidence: 0.8,
    reason: "The page asks for the visitor's age first.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.4",
    when: { headlineSays: "age", textMax: 600, mainMax: 350, headingsMax: 2, fieldsMax: 3, mediaMax: 3, buttonsMax: 4 },
  },
  {
    id: "age-answer",
    confidence: 0.8,
    reason: "The page asks for the visitor's age first.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.4",
    when: {
      says: ["adult"],
      text: [
        /\byou\b|\bare over\b|\bi am\b|\bsie\b|\bdu\b|\bbist\b|vous|êtes|\beres\b|\btiene|\bser mayor|\btem\b|você|\bprecisa|\bhai\b|\bdevi\b|\bbent\b|\bmasz\b|\bjsi\b|\bje vám\b|\bar dig\b|вам|вы\b|мне|достижени|歳以上|歳未満|成人ですか|年齢|岁|歲|성인|세 이상|\bkamu\b|\banda\b|\bbạn\b|عمرك|גיל/i,
      ],
      action:
        /^\W{0,3}((yes|ja|oui|sí|si|sim|sì|tak|ano|igen|da|да|так|evet|ναι|نعم|כן|हाँ|ใช่|có|ya|はい|예|네|是|是的)(\W{1,3}(i am( (over|of|at least|an adult|\d\d).{0,20})?|let me in|enter|eintreten|entrer|entrar|entra))?\W{0,3}|i('m| am) (over|of legal|of age|at least|an adult|\d\d).{0,25}|(enter|leave|exit)( (the |this )?(site|website|shop|store|page))?\W{0,3}|(seite )?(betreten|eintreten|verlassen)\W{0,3}|(entrer|quitter)( (sur )?le site)?\W{0,3}|(entrar|salir|sair|entra|esci)( (en |al |no |do |nel |dal )?(sitio|site|sito))?\W{0,3}|войти\W{0,3}|покинуть( сайт)?\W{0,3}|進入|进入|离开|離開|退出|入場|入室|退場|입장|나가기|認証|認証する)$/i,
      textMax: 1_200,
      mainMax: 600,
      headingsMax: 4,
      fieldsMax: 3,
      mediaMax: 4,
      buttonsMax: 4,
      password: false,
    },
  },
  {
    id: "age-question",
    isUnmistakable: true,
    confidence: 0.8,
    reason: "The page asks for the visitor's age first.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.4",
    when: {
      headlineSays: "age",
      action:
        /^\W{0,3}((yes|ja|oui|sí|sim|sì|tak|ano|igen|da|да|так|evet|ναι|نعم|כן|हाँ|ใช่|có|ya|はい|예|네|是)(\W.{0,40})?|(i am|i'm|i’m|ich bin|je suis|j'ai|soy|tengo|sou|tenho|ho|sono|ik ben|mam|мне|je mi|am|saya|eu sou|我已).{0,40}|.{0,20}\b(18|19|20|21)( ?\+|\b.{0,12}(years|anos|años|ans|jahre|anni|jaar|lat|let|лет|років|yaş|tahun|tuổi|歳|岁|歲|세)).{0,30}|(enter|leave|exit|quitter|sair|salir|esci|verlassen|keluar)( .{1,20})?|confirm(ar|er|ez|a)?|conferma|bestätigen|bevestigen|potwierdź|potvrdit|megerősítem|confirmă|bekræft|bekreft|bekräfta|vahvista|onayla|подтвердить|підтвердити|確認(する)?|确认|確定|확인)\W{0,3}$/i,
      textMax: 1_500,
      mainMax: 1_000,
      headingsMax: 6,
      fieldsMax: 4,
      mediaMax: 4,
      buttonsMax: 10,
      password: false,
    },
  },
  {
    id: "age-choice",
    isUnmistakable: true,
    confidence: 0.8,
    reason: "The page asks for the visitor's age first.",
    source: "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.4",
    when: {
      action:
        /^\W*((yes|ja|oui|sí|sim|sì|tak|да)\W{1,3})?(i am|i'm|i’m|ich bin|j'ai|j’ai|tengo|tenho|ho|ik ben|mam|мне( есть| уже есть| исполнилось)?) ((at least|over|above|older than|already|mindestens|über|älter als|plus de|más de|mais de|più di|ouder dan|minimaal|ponad|więcej niż|уже|больше) )?(16|18|19|20|21)\b/i,
      textMax: 1_500,
      headingsMax: 6,
      fieldsMax: 3,
      mediaMax: 4,
    },
  },
];
