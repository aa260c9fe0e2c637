/** Pages that ask for consent, modeled on well-known consent platforms; their buttons call `yes()` and `no()`. */

export interface ConsentPage {
  platform: string;
  /** Style that covers the page. */
  banner: string;
  /** Part of the platform's own API, through which some answers are given. */
  script?: string;
  /** Whether consent is actually rejected; otherwise the only visible effect is that the banner is hidden. */
  answered: boolean;
}

const div = (attributes: string, content: string) => `<div ${attributes}>${content}</div>`;
const buttons = (yes: string, no: string) =>
  `<button ${yes} onclick="yes()">Accept all</button><button ${no} onclick="no()">Reject all</button>`;

/** Two buttons, and the elements around them from the outermost inward, each given by its attributes. */
type Platform = [platform: string, around: string[], yes: string, no: string, script?: string];

const answered: Platform[] = [
  ["The engine's own test page", ['id="privacy-test-page-cmp-test"'], 'id="accept-all"', 'id="reject-all"'],
  [
    "OneTrust without its usual container",
    ['id="onetrust-banner-sdk"'],
    'id="onetrust-accept-btn-handler"',
    'id="onetrust-reject-all-handler"',
  ],
  [
    "Didomi",
    ['id="didomi-host"', 'id="didomi-popup" class="didomi-popup"'],
    'id="didomi-notice-agree-button"',
    'id="didomi-notice-disagree-button"',
  ],
  ["CookieFirst", ['id="cookiefirst-root"'], 'data-cookiefirst-action="accept"', 'data-cookiefirst-action="reject"'],
  ["iubenda", ['id="iubenda-cs-banner"'], 'class="iubenda-cs-accept-btn"', 'class="iubenda-cs-reject-btn"'],
  [
    "Osano",
    ['class="osano-cm-window"', 'class="osano-cm-dialog"'],
    'class="osano-cm-accept-all"',
    'class="osano-cm-denyAll"',
    "window.Osano = { cm: { dialogOpen: true } }",
  ],
  ["Quantcast", ['id="qc-cmp2-container"', 'id="qc-cmp2-ui"'], 'id="agree-btn"', 'id="disagree-btn"'],
  ["Usercentrics", ['id="usercentrics-button"'], 'id="uc-btn-accept-banner"', 'id="uc-btn-deny-banner"'],
  ["CookieConsent 3", ['id="cc-main"', 'class="cm-wrapper"'], 'class="cm__btn" data-role="all"', 'class="cm__btn" data-role="necessary"'],
  [
    "Borlabs",
    ['class="_brlbs-block-content"', 'class="_brlbs-box-wrap"'],
    'class="_brlbs-btn-accept-all"',
    'class="brlbs-btn-accept-only-essential"',
  ],
  ["Civic", ['id="ccc"', 'id="ccc-notify"'], 'class="ccc-accept-button"', 'class="ccc-reject-button"'],
  ["HubSpot", ['id="hs-eu-cookie-confirmation"'], 'id="hs-eu-confirmation-button"', 'id="hs-eu-decline-button"'],
  ["Pandectes", ['id="pandectes-banner"'], 'class="cc-allow"', 'class="cc-deny"'],
  [
    "Cookiebot, through its API",
    ['id="CybotCookiebotDialog"'],
    'id="CybotCookiebotDialogBodyLevelButtonLevelOptinAllowAll"',
    'id="CybotCookiebotDialogBodyLevelButtonLevelOptinDeclineAll"',
    "window.Cookiebot = { dialog: { visible: true }, hasResponse: false }",
  ],
];

const hidden: Platform[] = [
  [
    "The engine's own test page for banners that are only hidden",
    ['id="privacy-test-page-cmp-test-banner"'],
    'id="accept-all"',
    'id="reject-all"',
  ],
  [
    "OneTrust",
    ['id="onetrust-consent-sdk"', 'id="onetrust-banner-sdk"'],
    'id="onetrust-accept-btn-handler"',
    'id="onetrust-reject-all-handler"',
  ],
  ["Complianz", ['id="cmplz-cookiebanner-container"', 'class="cmplz-cookiebanner"'], 'class="cmplz-accept"', 'class="cmplz-deny"'],
  ["CookieYes", ['class="cky-consent-container"'], 'data-cky-tag="accept-button"', 'data-cky-tag="reject-button"'],
  ["Moove", ['id="moove_gdpr_cookie_info_bar"'], 'class="moove-gdpr-infobar-allow-all"', 'class="moove-gdpr-infobar-reject-btn"'],
  ["Termly", ['id="termly-code-snippet-support"', ""], 'data-tid="banner-accept"', 'data-tid="banner-decline"'],
  ["Cookie-Script", ['id="cookiescript_injected"'], 'id="cookiescript_accept"', 'id="cookiescript_reject"'],
  ["Shopify", ['id="shopify-pc__banner"'], 'id="shopify-pc__banner__btn-accept"', 'id="shopify-pc__banner__btn-decline"'],
];

const pageOf =
  (isAnswered: boolean) =>
  ([platform, around, yes, no, script]: Platform): ConsentPage => ({
    platform,
    banner: around.reduceRight((content, attributes) => div(attributes, content), buttons(yes, no)),
    ...(script ? { script } : {}),
    answered: isAnswered,
  });

export const consentPages: ConsentPage[] = [
  ...answered.map(pageOf(true)),
  ...hidden.map(pageOf(false)),
  {
    platform: "CookieHub",
    banner: div(
      'class="ch2-dialog"',
      `<button class="ch2-open-settings-btn">Settings</button><div class="ch2-settings">${buttons('class="ch2-allow-all-btn"', 'class="ch2-deny-all-btn"')}</div>`,
    ),
    answered: true,
  },
  {
    platform: "Squarespace",
    banner: div(
      'class="cookie-banner-mount-point"',
      `<section aria-label="Cookie banner">${buttons('class="accept"', 'class="decline"')}</section>`,
    ),
    answered: true,
  },
  {
    platform: "Klaro, through its API",
    banner: div(
      'class="klaro" style="position:static"',
      div('class="cookie-notice" style="position:fixed;inset:0;background:#00f"', '<button onclick="yes()">Accept all</button>'),
    ),
    script:
      "window.klaro = { show() {}, getManager: () => ({ changeAll(value) { this.all = value }, saveAndApplyConsents() { this.all ? yes() : no() } }) }",
    answered: false,
  },
  {
    platform: "Tealium, through its API",
    banner: div('id="__tealiumGDPRecModal"', '<button onclick="yes()">Accept all</button>'),
    script: "window.utag = { gdpr: { setConsentValue(value) { value ? yes() : no() } } }",
    answered: true,
  },
  {
    platform: "an unknown one, with a class name on the lists",
    banner: div('class="cookieDisclaimer"', '<button onclick="yes()">OK</button>'),
    answered: false,
  },
];

/** A green page, 1000 pixels high, whose banner locks scrolling. Accepting turns it red and requests `/yes`, rejecting requests `/no`. */
export function consentPage({ banner, script = "" }: ConsentPage): string {
  return `<!doctype html><html style="overflow:hidden"><body style="margin:0;height:1000px;background:#0f0;overflow:hidden">
    <style>#cover > *{position:fixed;inset:0;background:#00f}</style>
    <script>
      function yes() { document.body.style.background = "#f00"; navigator.sendBeacon("/yes") }
      function no() { document.querySelector("#cover").remove(); navigator.sendBeacon("/no") }
      ${script}
    </script>
    <div id="cover">${banner}</div>`;
}
