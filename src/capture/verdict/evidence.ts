/** Computes a rule's confidence for a page. Pure. */

import type { PageFacts } from "./page-facts.ts";
import type { Rule, WallKind } from "./rule.ts";
import { isAbout, plain, says } from "./vocabulary.ts";

/** Share of the main text that must be about the wall for full confidence. An ordinary page may contain a sentence typical of walls. */
const shareMin = 0.5;
/** The same for short pages: their other words are often excuses that no list of words has. */
const shortShareMin = 0.3;
/** The same for pages whose title says so: ordinary pages' titles name their subject. */
const titledShareMin = 0.25;
/** Maximum length of a short text, in characters. */
const shortMax = 400;
const headlineMax = 120;
/** Maximum length of a text that need not be about the wall, as it has hardly any other words than the ones that matched. */
const tinyMax = 60;
/** An article of this length in characters, or a list with this many rows, is content, no matter what else the page says. */
const articleMin = 300;
const itemsMin = 5;
/** Prices and several times of day also count as content. Walls rarely have them, except for paywalls and domains for sale. */
const price = /[€£¥₺₽₴]\s?\d|\d\s?([€£₺₽₴円元원]|(eur|euros?|chf|zł|kč|lei|lira|pounds)(?![a-z]))/i;
const time = /\d{1,2}月\d{1,2}日|\b\d{1,2}[:h]\d{2}\b|\b\d{1,2} ?(uhr|am|pm)\b/gi;
const timesMin = 3;
/** Factor by which content reduces the confidence. */
const besideContent = 0.6;

/**
 * Returns the rule with its confidence for this page, or an empty array if it doesn't match. If the rule relies on words that ordinary
 * pages may also contain, confidence is lower if little of the page is about the wall, or if the page also has content.
 */
export function evidence(rule: Rule, page: PageFacts): { rule: Rule; confidence: number }[] {
  if (!matchesConditions(rule, page)) return [];
  if (rule.kind === "login_wall" && isSignedIn(page)) return [];
  if (rule.isUnmistakable || !isByWords(rule)) return [{ rule, confidence: rule.confidence }];
  const { overlay, overlaySays, outsideFormMax, headline, headlineSays, says: all = [] } = rule.when;
  const isLayer = overlay !== undefined || overlaySays !== undefined;
  const text = isLayer ? [page.overlay] : mainTextOf(page);
  const hasHeadline = headline !== undefined || headlineSays !== undefined || all.length > 1;
  const isShortAndSaysSo = hasHeadline && page.textLength <= shortMax && /error_page|bot_wall|parked/.test(rule.kind);
  const isTiny = text.reduce((sum, { length }) => sum + length, 0) <= tinyMax;
  const share = outsideFormMax !== undefined || isTiny ? 1 : shareAbout(rule.kind, text);
  const isTitled = !isLayer && rule.kind !== "login_wall" && titleSays(rule, page);
  const shareNeeded = isTitled ? titledShareMin : isShortAndSaysSo ? shortShareMin : shareMin;
  const hasContent = !isLayer && (page.articleLength >= articleMin || page.items >= itemsMin || hasFacts(rule.kind, text));
  const confidence = rule.confidence * Math.min(1, share / shareNeeded) * (hasContent ? besideContent : 1);
  return [{ rule, confidence: round(confidence) }];
}

function hasFacts(kind: WallKind, lines: readonly string[]): boolean {
  if (kind === "login_wall") return false;
  const hasPrice = kind !== "parked" && lines.some((line) => price.test(line));
  return hasPrice || lines.reduce((sum, line) => sum + (line.match(time) ?? []).length, 0) >= timesMin;
}

export function round(confidence: number): number {
  return Math.round(confidence * 100) / 100;
}

/** The lines of the main part, or the whole text if most of a short one is elsewhere: some pages that say nothing else say it in a footer. */
function mainTextOf(page: PageFacts): string[] {
  return page.textLength <= 200 && 2 * mainLength(page) < page.textLength ? [page.text] : page.mainLines;
}

/** On a short page, the first lines are headlines as well: not all of them have headings, or the first one is a name or a number. */
function headlinesOf({ title, heading, mainLines, textLength }: PageFacts, kind: WallKind): string[] {
  const lines =
    kind !== "consent_wall" && textLength <= shortMax ? mainLines.slice(0, 3).filter(({ length }) => length <= headlineMax) : [];
  return [title, heading, ...lines];
}

/** Whether the title says, and doesn't ask, what the rule looks for. */
function titleSays({ when: { headlineSays } }: Rule, { title }: PageFacts): boolean {
  return headlineSays !== undefined && !title.includes("?") && says(plain(title), headlineSays);
}

function mainLength({ mainLines }: PageFacts): number {
  return mainLines.reduce((sum, { length }) => sum + length, 0);
}

/** Whether a rule recognizes its wall only by sentences or a form that ordinary pages may also contain. */
function isByWords({ when }: Rule): boolean {
  if (when.mainMax !== undefined || (when.password !== undefined && when.password !== false)) return true;
  const hasWords = [when.text, when.headline, when.overlay, when.says, when.headlineSays, when.overlaySays].some(
    (one) => one !== undefined,
  );
  return (
    hasWords && when.resource === undefined && when.shownPath === undefined && (when.status === undefined || when.status.includes(200))
  );
}

function matchesConditions({ when, kind }: Rule, page: PageFacts): boolean {
  const headlines = headlinesOf(page, kind);
  return (
    (when.status === undefined || when.status.includes(page.status)) &&
    (when.title === undefined || when.title.test(page.title)) &&
    (when.headline === undefined || headlines.some((line) => when.headline?.test(line))) &&
    (when.text === undefined || when.text.every((pattern) => pattern.test(page.text))) &&
    (when.overlay === undefined || when.overlay.every((pattern) => pattern.test(page.overlay))) &&
    (when.resource === undefined || page.resources.some((url) => when.resource?.test(url))) &&
    (when.shownHost === undefined || when.shownHost.test(page.shown.hostname)) &&
    (when.shownPath === undefined || when.shownPath.test(page.shown.pathname)) &&
    (when.requestedPath === undefined || !when.requestedPath.not.test(page.requested.pathname + page.requested.hash)) &&
    (when.leftHost !== true || page.requested.hostname !== page.shown.hostname) &&
    (when.textMax === undefined || page.textLength <= when.textMax) &&
    (when.headingsMax === undefined || page.headings <= when.headingsMax) &&
    (when.fieldsMin === undefined || page.fields >= when.fieldsMin) &&
    (when.fieldsMax === undefined || page.fields <= when.fieldsMax) &&
    (when.buttonsMax === undefined || page.buttons <= when.buttonsMax) &&
    (when.buttonsMin === undefined || page.buttons >= when.buttonsMin) &&
    (when.providersMin === undefined || providersIn(page) >= when.providersMin) &&
    (when.action === undefined || page.mainActions.some((action) => when.action?.test(action))) &&
    (when.overlayAction === undefined || page.overlayActions.some((action) => when.overlayAction?.test(action))) &&
    (when.mediaMax === undefined || page.media <= when.mediaMax) &&
    (when.password === undefined || (when.password === 1 ? page.passwordFields === 1 : page.passwordFields > 0 === when.password)) &&
    (when.newPassword === undefined || choosesPassword(page) === when.newPassword) &&
    (when.outsideFormMax === undefined || (page.passwordForm !== null && page.passwordForm.outside <= when.outsideFormMax)) &&
    (when.mainMax === undefined || mainLength(page) <= when.mainMax) &&
    saysAll(when, page, headlines)
  );
}

const providers = [
  /google|جوجل|گوگل|谷歌|구글/i,
  /facebook|فيسبوك|فیسبوک/i,
  /apple|آبل|애플/i,
  /microsoft|azure|office 365/i,
  /git(hub|lab)/i,
  /linkedin|twitter|discord|steam|yahoo/i,
  /yandex|яндекс|вконтакте|\bvk\b/i,
  /wechat|微信|\bqq\b|支付宝|微博/i,
  /\bline\b|kakao|카카오|naver|네이버/i,
  /\b(sso|saml|openid)\b|bankid|mitid|itsme|franceconnect|госуслуг/i,
];

function providersIn({ mainActions }: PageFacts): number {
  return providers.filter((provider) => mainActions.some((action) => provider.test(action))).length;
}

/** Sign-in forms also mention signing out: some offer to sign the visitor out after so many days. */
function isSignedIn({ text, passwordForm }: PageFacts): boolean {
  return says(plain(text), "signOut") && !says(plain(passwordForm?.action ?? ""), "signIn");
}

function choosesPassword({ passwordForm, title, heading, mainLines }: PageFacts): boolean {
  if (passwordForm?.isNew) return true;
  const action = plain(passwordForm?.action ?? "");
  if (says(action, "signUp") !== says(action, "signIn")) return says(action, "signUp");
  return [title, heading, mainLines[0] ?? ""].some((line) => says(plain(line), "signUp"));
}

const plainTexts = new WeakMap<PageFacts, string>();

/** The title and the text, normalized once for all rules. */
function plainTextOf(page: PageFacts): string {
  const known = plainTexts.get(page) ?? plain(`${page.title} ${page.text}`);
  plainTexts.set(page, known);
  return known;
}

function saysAll(
  { headlineSays, says: all, actionSays, overlaySays, overlayActionSays }: Rule["when"],
  page: PageFacts,
  headlines: string[],
): boolean {
  return (
    (headlineSays === undefined || [...headlines, page.mainLines[0] ?? ""].some((line) => says(plain(line), headlineSays))) &&
    (all === undefined || all.every((subject) => says(plainTextOf(page), subject))) &&
    (actionSays === undefined || page.mainActions.some((action) => says(plain(action), actionSays))) &&
    (overlaySays === undefined || says(plain(page.overlay), overlaySays)) &&
    (overlayActionSays === undefined || page.overlayActions.some((action) => says(plain(action), overlayActionSays)))
  );
}

/**
 * Words typical of walls and error pages, including excuses, advice and links back. An ordinary page may contain a sentence typical of a
 * wall, such as "Please log in to see prices", but most of its sentences are about something else.
 */
const topics: Record<WallKind, RegExp> = {
  error_page:
    /\b(404|4\d\d|5\d\d)\b|err(or|eur|o)\b|errore|fehler|fout|\bfel\b|virhe|\bhata|błąd|chyba|hiba|ошибк|помилк|错误|出错|エラー|오류|\b(web)?(page|site)s?\b|\bseite|\bsid(a|an|en)\b|sivu|sayfa|stron|stránk|\boldal|página|pagina|\bсайт|страниц|сторінк|页面|网页|链接|失效|搜索|ページ|サイト|페이지|not found|\bnot exist|can(no|')t|couldn't|doesn't|sorry|oops|whoops|went wrong|exception|\bundefined\b|\bline \d+|stack|\bsql|database|datenbank|javascript|\bserver\b|gateway|connection|time(d)? ?out|request|unavailable|not available|no longer|try again|probeer|opnieuw|zo terug|erneut|versuchen sie|réessay|intent[ea]|novamente|riprova|spróbuj|tekrar|zkuste|попробуйте|もう一度|refresh|reload|maintenance|wartung|mantenimiento|manutenção|manutenzione|onderhoud|технич|维护|メンテナンス|점검|(right|be|come) back|shortly|inconvenience|upgrad|\bsystem|suspen|wartung|\bsitios?\b|\bsito\b|\bweb\b|webmaster|administrat|provider|proveedor|anbieter|hébergeur|\baccess?o?\b|deshabilit|\b(our|your) (region|country|location)|home ?page|startsei|go (back|home)|supprim|déplac|adresse|accueil|retour|gelöscht|verschoben|zurück|eliminad|dirección|endereço|mudou|digit|inicio|início|spostat|rimoss|indirizzo|verwijder|verplaatst|bereikbaar|usunięt|przenies|удал|перемещ|адрес|главн|删除|网址|首页|返回|稍后|削除|移動|flyttat|startsid|siirret|taşın|silin|smazán|přesun|\b(job|position|vacancy|product|item|listing|offer)\b.{0,80}(filled|available|removed|sold)|moved|deleted|removed|entschuldig|leider|désolé|lo sentimos|desculp|spiacenti|helaas|przepraszamy|извин|すみません|ご迷惑|죄송/i,
  login_wall:
    /log(ged)?[ -]?(in|on)\b|sign(ed)?[ -]?(in|on|up)\b|password|passcode|pass ?phrase|\baccount|\bmember|user ?name|\bregister|\bregistration|subscri|e-?mail|forgot|private|permission|authori[sz]|restricted|request access|to (continue|view|read|see)\b|\bowner\b|anmeld|einlogg|konto|benutzer|passwort|kennwort|registrier|mitglied|zugang|connect|compte|mot de passe|s'identif|identifiez|identifiant|inscri|sesión|contraseña|cuenta|usuario|\bsenha|\bconta\b|accedi|accesso|utente|inlogg|wachtwoord|zaloguj|hasło|logga|lösenord|personnummer|kirjaudu|salasana|log ind|logg inn|adgangskode|passord|giriş|şifre|přihlá|heslo|bejelent|jelszó|σύνδεση|κωδικ|войти|войд|авториз|парол|аккаунт|учётн|登录|登入|账号|密码|ログイン|パスワード|アカウント|로그인|비밀번호|계정/i,
  consent_wall:
    /cookie|consent|gdpr|privacy|partner|\bage\b|\byears?\b|\b(18|21)\b|\bservices?\b|statisti|marketing|purpose|necessary|essential|essen[tz]iel|notwendig|dienst|zwecke|akzept|ablehn|advert|\bads\b|personal|\bdata\b|track|analytic|preferenc|setting|accept|reject|agree|datenschutz|einwillig|zustimm|werbung|daten|confidential|consentement|publicit|données|privacidad|publicidad|datos|consenso|riservatezza|pubblicità|\bdati\b|toestemming|advertent|gegevens|prywatno|reklam|soukrom|souhlas|samtycke|annons|suostumus|evästeet|çerez|конфиденц|реклам|данн|隐私|同意|プライバシー|쿠키|개인정보/i,
  parked:
    /domain|dominio|domínio|domaine|domein|домен|域名|ドメイン|도메인|\b[a-z0-9-]{1,63}\.(com|net|org|info|io|de|fr|it|es|nl|ru|co|uk|xyz|shop|online|app|dev|example|test)\b|for sale|\bbuy\b|\bpurchase|make an offer|\boffers?\b|\bprice\b|inquir|\bpark|regist(er|rar|ré)|hosting|hébergement|alojamiento|hospedagem|\bweb ?site|your site|votre site|renew|expired|kauf|verkauf|related (searches|links)|construction|coming soon|sponsored|privacy policy|legal|copyright|owner|broker|premium|\bfiles?\b|upload|configur|install|admini?strator|\bdns\b|\bssl\b|\bplan(e?s)?\b|en línea|en ligne|hier entsteht|hochlad|\blade\b|noch keinen|站点|网站|页面/i,
  bot_wall:
    /human|robot|\bbots?\b|captcha|securit|sécurité|sicherheit|seguridad|segurança|verif|vérif|überprüf|check|browser|navigat|javascript|cookie|access|zugriff|acceso|acesso|accès|block|denied|request|traffic|activit|\bip\b|address|\bray\b|reference|incident|\bid\b|automat|unusual|suspicious|continu|confirm|network|connection|please|bitte|por favor|protect|\bwait|moment|press|click|button|refresh|reload|contact|support|error|администр|робот|человек|провер|验证|安全|拦截|访问|ロボット|確認|アクセス|로봇|보안|mensch|humain|humano|umano|zeichen|character|caract|\bshop(ping|pen)?\b|firewall|attack|angriff|attaque/i,
};

/** Legal lines found at the end of most pages. */
const legal = /©|\(c\)|copyright|privacy|\bterms\b|imprint|impressum|datenschutz|\bagb\b|conditions of use|mentions légales|legal notice/i;
const legalMax = 120;

/**
 * @param lines lines of a page's main part. @returns the fraction (0 to 1) of the text's characters that are in sentences containing a word
 *   of the topic.
 */
function shareAbout(kind: WallKind, lines: readonly string[]): number {
  const sentences = lines
    .filter((line) => line.length > legalMax || !legal.test(line))
    .flatMap((line) => line.split(/(?<=[.!?。！？…])(?=\s|$)|(?<=[。！？])/));
  const lengthOf = (some: string[]) => some.reduce((sum, { length }) => sum + length, 0);
  const all = lengthOf(sentences);
  return all === 0 ? 1 : lengthOf(sentences.filter((sentence) => topics[kind].test(sentence) || isAbout(plain(sentence), kind))) / all;
}
