/** Pages that ask for consent, written in the shape of well-known consent platforms; their buttons call `yes()` and `no()`. */

export interface ConsentPage {
  platform: string;
  /** Covers the page. */
  banner: string;
  /** Of the platform's own interface, which some answers go through. */
  script?: string;
  /** Whether the way to a no is taken; otherwise the banner's hiding is all there is to see. */
  answered: boolean;
}

const buttons = (yes: string, no: string) =>
  `<button ${yes} onclick="yes()">Accept all</button><button ${no} onclick="no()">Reject all</button>`;
const div = (attributes: string, content: string) => `<div ${attributes}>${content}</div>`;

export const consentPages: ConsentPage[] = [
  {
    platform: "The engine's own test page",
    banner: div('id="privacy-test-page-cmp-test"', buttons('id="accept-all"', 'id="reject-all"')),
    answered: true,
  },
  {
    platform: "The engine's own test page for banners that are only hidden",
    banner: div('id="privacy-test-page-cmp-test-banner"', buttons('id="accept-all"', 'id="reject-all"')),
    answered: false,
  },
  {
    platform: "OneTrust",
    banner: div(
      'id="onetrust-consent-sdk"',
      div('id="onetrust-banner-sdk"', buttons('id="onetrust-accept-btn-handler"', 'id="onetrust-reject-all-handler"')),
    ),
    answered: false,
  },
  {
    platform: "OneTrust, without its usual container",
    banner: div('id="onetrust-banner-sdk"', buttons('id="onetrust-accept-btn-handler"', 'id="onetrust-reject-all-handler"')),
    answered: true,
  },
  {
    platform: "Didomi",
    banner: div(
      'id="didomi-host"',
      div('id="didomi-popup" class="didomi-popup"', buttons('id="didomi-notice-agree-button"', 'id="didomi-notice-disagree-button"')),
    ),
    answered: true,
  },
  {
    platform: "Complianz",
    banner: div(
      'id="cmplz-cookiebanner-container"',
      div('class="cmplz-cookiebanner"', buttons('class="cmplz-accept"', 'class="cmplz-deny"')),
    ),
    answered: false,
  },
  {
    platform: "CookieFirst",
    banner: div('id="cookiefirst-root"', buttons('data-cookiefirst-action="accept"', 'data-cookiefirst-action="reject"')),
    answered: true,
  },
  {
    platform: "CookieHub",
    banner: div(
      'class="ch2-dialog"',
      `<button class="ch2-open-settings-btn">Settings</button><div class="ch2-settings">${buttons('class="ch2-allow-all-btn"', 'class="ch2-deny-all-btn"')}</div>`,
    ),
    answered: true,
  },
  {
    platform: "CookieYes",
    banner: div('class="cky-consent-container"', buttons('data-cky-tag="accept-button"', 'data-cky-tag="reject-button"')),
    answered: false,
  },
  {
    platform: "iubenda",
    banner: div('id="iubenda-cs-banner"', buttons('class="iubenda-cs-accept-btn"', 'class="iubenda-cs-reject-btn"')),
    answered: true,
  },
  {
    platform: "Moove",
    banner: div(
      'id="moove_gdpr_cookie_info_bar"',
      buttons('class="moove-gdpr-infobar-allow-all"', 'class="moove-gdpr-infobar-reject-btn"'),
    ),
    answered: false,
  },
  {
    platform: "Osano",
    banner: div(
      'class="osano-cm-window"',
      div('class="osano-cm-dialog"', buttons('class="osano-cm-accept-all"', 'class="osano-cm-denyAll"')),
    ),
    script: "window.Osano = { cm: { dialogOpen: true } }",
    answered: true,
  },
  {
    platform: "Quantcast",
    banner: div('id="qc-cmp2-container"', div('id="qc-cmp2-ui"', buttons('id="agree-btn"', 'id="disagree-btn"'))),
    answered: true,
  },
  {
    platform: "Termly",
    banner: div('id="termly-code-snippet-support"', div("", buttons('data-tid="banner-accept"', 'data-tid="banner-decline"'))),
    answered: false,
  },
  {
    platform: "Usercentrics",
    banner: div('id="usercentrics-button"', buttons('id="uc-btn-accept-banner"', 'id="uc-btn-deny-banner"')),
    answered: true,
  },
  {
    platform: "Cookie-Script",
    banner: div('id="cookiescript_injected"', buttons('id="cookiescript_accept"', 'id="cookiescript_reject"')),
    answered: false,
  },
  {
    platform: "CookieConsent 3",
    banner: div(
      'id="cc-main"',
      div('class="cm-wrapper"', buttons('class="cm__btn" data-role="all"', 'class="cm__btn" data-role="necessary"')),
    ),
    answered: true,
  },
  {
    platform: "Borlabs",
    banner: div(
      'class="_brlbs-block-content"',
      div('class="_brlbs-box-wrap"', buttons('class="_brlbs-btn-accept-all"', 'class="brlbs-btn-accept-only-essential"')),
    ),
    answered: true,
  },
  {
    platform: "Civic",
    banner: div('id="ccc"', div('id="ccc-notify"', buttons('class="ccc-accept-button"', 'class="ccc-reject-button"'))),
    answered: true,
  },
  {
    platform: "Shopify",
    banner: div('id="shopify-pc__banner"', buttons('id="shopify-pc__banner__btn-accept"', 'id="shopify-pc__banner__btn-decline"')),
    answered: false,
  },
  {
    platform: "HubSpot",
    banner: div('id="hs-eu-cookie-confirmation"', buttons('id="hs-eu-confirmation-button"', 'id="hs-eu-decline-button"')),
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
    platform: "Pandectes",
    banner: div('id="pandectes-banner"', buttons('class="cc-allow"', 'class="cc-deny"')),
    answered: true,
  },
  {
    platform: "Klaro, by its interface",
    banner: div(
      'class="klaro" style="position:static"',
      div('class="cookie-notice" style="position:fixed;inset:0;background:#00f"', '<button onclick="yes()">Accept all</button>'),
    ),
    script:
      "window.klaro = { show() {}, getManager: () => ({ changeAll(value) { this.all = value }, saveAndApplyConsents() { this.all ? yes() : no() } }) }",
    answered: false,
  },
  {
    platform: "Cookiebot, by its interface",
    banner: div(
      'id="CybotCookiebotDialog"',
      buttons('id="CybotCookiebotDialogBodyLevelButtonLevelOptinAllowAll"', 'id="CybotCookiebotDialogBodyLevelButtonLevelOptinDeclineAll"'),
    ),
    script: "window.Cookiebot = { dialog: { visible: true }, hasResponse: false }",
    answered: true,
  },
  {
    platform: "Tealium, by its interface",
    banner: div('id="__tealiumGDPRecModal"', '<button onclick="yes()">Accept all</button>'),
    script: "window.utag = { gdpr: { setConsentValue(value) { value ? yes() : no() } } }",
    answered: true,
  },
  {
    platform: "one that nobody knows, in a class that lists know",
    banner: div('class="cookieDisclaimer"', '<button onclick="yes()">OK</button>'),
    answered: false,
  },
];

/** A green page of 1000 pixels, locked behind the banner as such pages are. A yes turns it red and asks for `/yes`, a no for `/no`. */
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
