/**
 * Words typical of everything else on walls and error pages: excuses, advice, links back. An ordinary page may contain a sentence typical
 * of a wall, such as "Please log in to see prices", but most of its sentences are about something else.
 */

import { isAbout, plain, type WallKind } from "./phrases/says.ts";

const topics: Record<WallKind, RegExp> = {
  error_page:
    /\b(404|4\d\d|5\d\d)\b|err(or|eur|o)\b|errore|fehler|fout|\bfel\b|virhe|\bhata|błąd|chyba|hiba|ошибк|помилк|错误|出错|エラー|오류|\b(web)?(page|site)s?\b|\bseite|\bsid(a|an|en)\b|sivu|sayfa|stron|stránk|\boldal|página|pagina|\bсайт|страниц|сторінк|页面|网页|ページ|サイト|페이지|not found|\bnot exist|can(no|')t|couldn't|doesn't|sorry|oops|whoops|went wrong|exception|\bundefined\b|\bline \d+|stack|\bsql|database|datenbank|javascript|\bserver\b|gateway|connection|time(d)? ?out|request|unavailable|not available|no longer|try again|probeer|opnieuw|zo terug|erneut|versuchen sie|réessay|intent[ea]|novamente|riprova|spróbuj|tekrar|zkuste|попробуйте|もう一度|refresh|reload|maintenance|wartung|mantenimiento|manutenção|manutenzione|onderhoud|технич|维护|メンテナンス|점검|(right|be|come) back|shortly|inconvenience|upgrad|\b(our|your) (region|country|location)|home ?page|startsei|go (back|home)|supprim|déplac|adresse|accueil|retour|gelöscht|verschoben|zurück|eliminad|dirección|endereço|mudou|digit|inicio|início|spostat|rimoss|indirizzo|verwijder|verplaatst|bereikbaar|usunięt|przenies|удал|перемещ|адрес|главн|删除|网址|首页|返回|稍后|削除|移動|flyttat|startsid|siirret|taşın|silin|smazán|přesun|\b(job|position|vacancy|product|item|listing|offer)\b.{0,80}(filled|available|removed|sold)|moved|deleted|removed|entschuldig|leider|désolé|lo sentimos|desculp|spiacenti|helaas|przepraszamy|извин|すみません|ご迷惑|죄송/i,
  login_wall:
    /log(ged)?[ -]?(in|on)\b|sign(ed)?[ -]?(in|on|up)\b|password|passcode|pass ?phrase|\baccount|\bmember|user ?name|\bregister|\bregistration|subscri|e-?mail|forgot|private|permission|authori[sz]|restricted|request access|to (continue|view|read|see)\b|\bowner\b|anmeld|einlogg|konto|benutzer|passwort|kennwort|registrier|mitglied|zugang|connect|compte|mot de passe|s'identif|identifiez|identifiant|inscri|sesión|contraseña|cuenta|usuario|\bsenha|\bconta\b|accedi|accesso|utente|inlogg|wachtwoord|zaloguj|hasło|logga|lösenord|personnummer|kirjaudu|salasana|log ind|logg inn|adgangskode|passord|giriş|şifre|přihlá|heslo|bejelent|jelszó|σύνδεση|κωδικ|войти|войд|авториз|парол|аккаунт|учётн|登录|登入|账号|密码|ログイン|パスワード|アカウント|로그인|비밀번호|계정/i,
  consent_wall:
    /cookie|consent|gdpr|privacy|partner|advert|\bads\b|personal|\bdata\b|track|analytic|preferenc|setting|accept|reject|agree|datenschutz|einwillig|zustimm|werbung|daten|confidential|consentement|publicit|données|privacidad|publicidad|datos|consenso|riservatezza|pubblicità|\bdati\b|toestemming|advertent|gegevens|prywatno|reklam|soukrom|souhlas|samtycke|annons|suostumus|evästeet|çerez|конфиденц|реклам|данн|隐私|同意|プライバシー|쿠키|개인정보/i,
  parked:
    /domain|dominio|domínio|domaine|domein|домен|域名|ドメイン|도메인|\b[a-z0-9-]{1,63}\.(com|net|org|info|io|de|fr|it|es|nl|ru|co|uk|xyz|shop|online|app|dev|example|test)\b|for sale|\bbuy\b|\bpurchase|make an offer|\boffer\b|inquir|\bpark|regist(er|rar|ré)|hosting|hébergement|alojamiento|hospedagem|\bweb ?site|your site|votre site|renew|expired|kauf|verkauf|related (searches|links)|construction|coming soon|sponsored|privacy policy|legal|copyright|owner|broker|premium/i,
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
export function shareAbout(kind: WallKind, lines: readonly string[]): number {
  const sentences = lines
    .filter((line) => line.length > legalMax || !legal.test(line))
    .flatMap((line) => line.split(/(?<=[.!?。！？…])(?=\s|$)|(?<=[。！？])/));
  const lengthOf = (some: string[]) => some.reduce((sum, { length }) => sum + length, 0);
  const all = lengthOf(sentences);
  return all === 0 ? 1 : lengthOf(sentences.filter((sentence) => topics[kind].test(sentence) || isAbout(plain(sentence), kind))) / all;
}
