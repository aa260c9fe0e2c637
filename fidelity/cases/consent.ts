/** Consent banners, with the option that removes them. */

import type { FidelityCase } from "../case.ts";
import { page, sections } from "./parts.ts";

const content = `<main>${sections(6)}</main>`;
const options = { block_cookie_banners: "true" };

export const consentCases: FidelityCase[] = [
  {
    name: "consent-orejime",
    held: true,
    about: "the banner of Orejime 3",
    html: () =>
      page(
        "",
        `${content}<script>window.orejimeConfig = { privacyPolicyUrl: "/privacy", purposes: [{ id: "analytics", title: "Analytics", description: "This is used for analytics.", cookies: ["_ga"] }] }</script>
        <script src="/npm/orejime/dist/orejime-standard-en.js"></script><link href="/npm/orejime/dist/orejime-standard.css" rel="stylesheet">`,
      ),
    pressed: ".orejime-Banner-declineButton, .orejime-Button--decline",
    options,
  },
  {
    name: "consent-vanilla",
    about: "the banner of vanilla-cookieconsent",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/vanilla-cookieconsent/dist/cookieconsent.css"><script src="/npm/vanilla-cookieconsent/dist/cookieconsent.umd.js"></script>`,
        `${content}<script>CookieConsent.run({ hideFromBots: false, categories: { necessary: { enabled: true, readOnly: true }, analytics: {} }, language: { default: "en", translations: { en: { consentModal: { title: "We use cookies", description: "Cookie modal description", acceptAllBtn: "Accept all", acceptNecessaryBtn: "Reject all", showPreferencesBtn: "Manage Individual preferences" }, preferencesModal: { title: "Manage cookie preferences", acceptAllBtn: "Accept all", acceptNecessaryBtn: "Reject all", savePreferencesBtn: "Accept current selection", closeIconLabel: "Close modal", sections: [{ title: "Strictly Necessary cookies", description: "Needed.", linkedCategory: "necessary" }] } } } } })</script>`,
      ),
    pressed: "[data-role=necessary]",
    options,
  },
  {
    name: "consent-modal",
    about: "a custom dialog with Reject all",
    html: () =>
      page(
        `<link rel="stylesheet" href="/npm/bootstrap/dist/css/bootstrap.min.css"><script src="/npm/bootstrap/dist/js/bootstrap.bundle.min.js"></script>`,
        `${content}<div class="modal fade" id="consent" data-bs-backdrop="static" tabindex="-1"><div class="modal-dialog"><div class="modal-content"><div class="modal-header"><h5 class="modal-title">We value your privacy</h5></div><div class="modal-body"><p>We use cookies to improve your experience. You can accept or reject them.</p></div><div class="modal-footer"><button class="btn btn-secondary" id="reject" data-bs-dismiss="modal">Reject all</button><button class="btn btn-primary" data-bs-dismiss="modal">Accept all</button></div></div></div></div>
        <script>new bootstrap.Modal("#consent").show()</script>`,
      ),
    pressed: "#reject",
    options,
  },
];
