/** Connects the consent engine to the capture. Runs in the engine's isolated world, so it must be self-contained. */

/** Runs before the engine: queues its messages until they are read. */
export function prelude(): void {
  const world = globalThis as unknown as Record<string, unknown>;
  let queued: { progress: string; evals: { id: string; code: string }[] } = { progress: "loading", evals: [] };
  let notify: (() => void) | undefined;
  let reported = "";
  const hasMessages = () => queued.evals.length > 0 || queued.progress !== reported;
  world.autoconsentSendMessage = async (message: { type: string; id: string; code: string; state: { lifecycle: string } }) => {
    if (message.type === "report") queued.progress = message.state.lifecycle;
    if (message.type === "eval") queued.evals.push({ id: message.id, code: message.code });
    if (hasMessages()) notify?.();
  };
  world.nextMessages = async () => {
    if (!hasMessages()) await new Promise<void>((resolve) => (notify = resolve));
    const taken = queued;
    reported = queued.progress;
    queued = { progress: queued.progress, evals: [] };
    return taken;
  };
  // The page is ready, so the engine need not wait for idle time.
  world.requestIdleCallback = undefined;
}

/** Runs after the engine and starts it. */
export function begin(rules: unknown): void {
  const { autoconsentReceiveMessage } = globalThis as unknown as { autoconsentReceiveMessage: (message: unknown) => void };
  autoconsentReceiveMessage({
    type: "initResp",
    rules: { autoconsent: [], compact: rules },
    config: {
      enabled: true,
      autoAction: "optOut",
      disabledCmps: [],
      enablePrehide: false,
      enableCosmeticRules: true,
      detectRetries: 0,
      isMainWorld: false,
      logs: { errors: false },
    },
  });
}

/**
 * Clicks the reject button in a dialog about cookies. Recognizes the button and the topic by their text.
 * @returns whether it found a button to click.
 */
export function rejectByText(): boolean {
  const textMax = 20_000;
  const topics =
    /cookie|consent|gdpr|datenschutz|einwillig|zustimm|confidentialit|privacidad|privacy|privacidade|prywatno|souhlas|samtyck/i;
  const rejections = new RegExp(
    `^(${[
      "(no,? )?(reject|decline|refuse|deny|disallow|opt out of)( all| optional| non-essential| additional)?( cookies)?",
      "(no,? thanks|disagree|i do not agree|continue without (accepting|consent))",
      "(use |accept |allow )?(only )?(strictly )?(necessary|essential|required)( cookies)?( only)?",
      "(alles?|alle cookies|cookies|optionale?( cookies)?) (ablehnen|verweigern)|ablehnen|nur (notwendige|essenzielle|erforderliche)( cookies)?( akzeptieren| zulassen| erlauben)?",
      "(tout |les )?refuser( tout| les cookies| tous les cookies)?|continuer sans accepter|tout rejeter",
      "(rechazar|denegar)( todo| todas| todas las cookies| cookies)?|solo (las )?(necesarias|esenciales)",
      "rifiuta( tutt[oi]| tutti i cookie)?|solo (i )?(necessari|essenziali)|continua senza accettare",
      "(rejeitar|recusar)( tudo| todos| todos os cookies)?|apenas (os )?(necessários|essenciais)",
      "(alles? )?(weigeren|afwijzen)|alleen noodzakelijke?( cookies)?",
      "odrzuć( wszystk\\S*)?( cookies)?|tylko niezbędne|odmítnout( vše)?|jen nezbytné",
      "(avvisa|neka|avslå|afvis|avvis)( alla| alle)?|endast nödvändiga|kun nødvendige|hylkää( kaikki)?",
    ].join("|")})[.!]?$`,
    "i",
  );
  const isVisible = (element: Element) =>
    Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true }) &&
    Element.prototype.getClientRects.call(element).length > 0;
  const isDialog = (element: Element) =>
    Element.prototype.matches.call(element, "dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true]") ||
    /fixed|sticky/.test(getComputedStyle(element).position);
  // A form field may shadow its form's members.
  const above = (element: Element): Element | undefined =>
    Reflect.get(Node.prototype, "parentElement", element) ?? (Node.prototype.getRootNode.call(element) as Partial<ShadowRoot>).host;
  const asksForConsent = (button: Element) => {
    for (let element: Element | undefined = button; element && element !== document.body; element = above(element)) {
      const text = Reflect.get(Element.prototype, "textContent", element) ?? "";
      if (isDialog(element) && text.length < textMax && topics.test(text)) return true;
    }
    return false;
  };
  const buttons = function* (root: Document | ShadowRoot): Generator<HTMLElement> {
    yield* root.querySelectorAll<HTMLElement>("button, [role=button], a, input[type=button], input[type=submit]");
    // A form field may shadow `shadowRoot`, but has no `mode`.
    for (const { shadowRoot } of root.querySelectorAll("*")) if (shadowRoot?.mode) yield* buttons(shadowRoot);
  };
  for (const button of buttons(document)) {
    const text = (button instanceof HTMLInputElement ? button.value : (Reflect.get(Element.prototype, "textContent", button) ?? ""))
      .trim()
      .replace(/\s+/g, " ");
    if (text.length > 60 || !rejections.test(text) || !isVisible(button) || !asksForConsent(button)) continue;
    HTMLElement.prototype.click.call(button);
    return true;
  }
  return false;
}
