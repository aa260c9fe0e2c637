/** Waits for a page to settle. Runs in the page, so it must be self-contained. */

export interface Settled {
  /** URLs of images outside the viewport that are still loading: at most 2,000, with at most 500,000 characters in total. */
  elsewhere: string[];
  /** Whether there are running animations, SMIL animations, or a video. */
  moves: boolean;
  /**
   * Whether anything suggests that the page will change on its own, such as scripts that keep running, endless animations, or a layer over
   * the window.
   */
  mayChange: boolean;
  /** Whether scripts had requested timers by the time the page had loaded. May include this service's own timers, except those of `settle`. */
  hadTimers: boolean;
  /** Whether text appeared so long after the load event that an empty area may have been filled before it was looked for. */
  fillsLate: boolean;
  /**
   * Whether the page has no scripts, embedded documents or lazy content. If it has any, changes to short pieces of text are recorded once
   * the page has settled.
   */
  isInert: boolean;
  /** Whether the page is inert, has no open shadow roots, and nothing in it moves, in which case there is nothing to freeze. */
  isStill: boolean;
}

interface World {
  /** Observes short pieces of text once the page has settled for the first time. */
  texts?: MutationObserver;
  textChanged?: boolean;
  /** Read by `scrollToAndHold`. */
  timersUntil?: number;
}

/** Whether a short piece of text, such as typed text or a counter, has changed since the page last settled. */
export function textHasChanged(): boolean {
  return (globalThis.tintypeOwn as World).textChanged ?? false;
}

/**
 * Waits for the load event, for frames without changes, for fonts, and for visible images to be decoded. All but the first have a timeout.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is serialized into the page, so it must be self-contained
export async function settle(): Promise<Settled> {
  const stepMs = 3_000;
  const elsewhereMax = 2_000;
  /** Maximum number of rounds to wait for a page that keeps changing. */
  const roundsMax = 8;
  /** If this call comes later than `lateMs` after the load event, scripts may already be typing text, with pauses of up to `pauseMs`. */
  const [lateMs, pauseMs] = [40, 150];
  /** On an idle machine, a page that needs no waiting has settled by this time after the load event. */
  const fillsLateMs = 200;
  /** Time until which timers of load listeners may be pending. */
  const throttleMs = 350;
  let ownTimers = 0;
  const atMost = (ms: number, moment: Promise<unknown>) => {
    ownTimers += 1;
    return Promise.race([moment, new Promise((resolve) => setTimeout(resolve, ms))]);
  };
  // The page's own observers are called in the same frame, so their effects have begun when this resolves.
  const frame = () => {
    const drawn = new Promise<void>((resolve) => {
      const observer = new IntersectionObserver(() => {
        observer.disconnect();
        resolve();
      });
      if (document.documentElement) observer.observe(document.documentElement);
      else resolve();
    });
    return atMost(100, drawn);
  };
  const idle = () => new Promise<void>((resolve) => requestIdleCallback(() => resolve(), { timeout: 50 }));

  // The load event fires in the same task, so its listeners have run by the next task. A truncated document never fires it.
  let beforeLoad: number | undefined;
  let timersBefore = 0;
  while (document.readyState !== "complete") {
    await new Promise((resolve) => document.addEventListener("readystatechange", resolve, { once: true }));
    beforeLoad = setTimeout(() => {}) as unknown as number;
    timersBefore += 1;
    await new Promise<unknown>((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = resolve;
      port2.postMessage(undefined);
    });
  }

  const beganAt = performance.now();
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  const loadedAt = navigation?.loadEventEnd || beganAt;
  let changed = false;
  let changesLate = false;
  let fillsLate = false;
  const isText = ({ type, target }: MutationRecord) =>
    type === "characterData" ||
    (type === "childList" &&
      Reflect.get(Element.prototype, "childElementCount", target) < 4 &&
      (Reflect.get(Node.prototype, "textContent", target) ?? "").length < 200);
  const changes = new MutationObserver((records) => {
    changed = true;
    const hasText = records.some((record) => isText(record) && document.body?.contains(record.target));
    changesLate ||= hasText;
    fillsLate ||= hasText && performance.now() - loadedAt > fillsLateMs;
  });
  changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  // Without scripts or embedded documents, only layout can cause further requests.
  const isInert = !document.querySelector(
    "script, iframe, frame, object, embed, [loading=lazy], [autofocus], [onload], [onerror], [onscroll]",
  );
  if (isInert) document.documentElement?.getBoundingClientRect();
  // Ids are sequential in a document, so two calls show how many timers and frame callbacks were requested in between.
  const nextIds = () => {
    const [timer, callback] = [setTimeout(() => {}) as unknown as number, requestAnimationFrame(() => {})];
    clearTimeout(timer);
    cancelAnimationFrame(callback);
    return { timer, callback };
  };
  const atFirst = isInert ? undefined : nextIds();
  ownTimers = 1;
  const quietNeeded = isInert ? 0 : document.scripts.length > 0 ? 2 : 1;
  const world = globalThis.tintypeOwn as World;
  if (atFirst && beforeLoad !== undefined && atFirst.timer > beforeLoad + 1) world.timersUntil = performance.now() + throttleMs;
  const isLate = beganAt - loadedAt > lateMs;
  const hadTimers = atFirst !== undefined && atFirst.timer > timersBefore + 1;
  const isWatched = isLate && !world.texts && hadTimers;
  let isPauseOver = !isWatched;
  // Uses a timer, not the clock: on a busy machine, the page's own timers are just as late, and those that are due earlier run first.
  if (isWatched) {
    ownTimers += 1;
    setTimeout(() => {
      isPauseOver = true;
    }, pauseMs);
  }
  const mayPause = () => !changesLate && !isPauseOver;
  for (let round = 0, quiet = 0; (quiet < quietNeeded && round < roundsMax) || mayPause(); round += 1) {
    changed = false;
    await frame();
    await idle();
    quiet = changed ? 0 : quiet + 1;
    changesLate ||= changed && round > 0;
  }
  changes.disconnect();
  const atLast = atFirst && nextIds();
  const runs = atFirst && atLast && (atLast.timer > atFirst.timer + ownTimers || atLast.callback > atFirst.callback + 1);

  if (document.fonts.status === "loading") await atMost(stepMs, document.fonts.ready);
  const isInView = (element: Element) => {
    const { top, bottom, left, right } = Element.prototype.getBoundingClientRect.call(element); // a form field may shadow it
    return top < innerHeight && bottom > 0 && left < innerWidth && right > 0;
  };
  const elsewhere: string[] = [];
  let charactersLeft = 500_000;
  const noteElsewhere = ({ currentSrc }: HTMLImageElement) => {
    if (elsewhere.length === elsewhereMax || currentSrc.length > charactersLeft) return;
    elsewhere.push(currentSrc);
    charactersLeft -= currentSrc.length;
  };
  const decoded = [...document.images].map((image) => {
    if (isInView(image)) return image.decode().catch(() => {}); // a broken image is as ready as it gets
    if (!image.complete) noteElsewhere(image);
    return undefined;
  });
  await atMost(stepMs, Promise.all(decoded));
  if (!isInert && !world.texts && document.body) {
    world.texts = new MutationObserver((records) => {
      world.textChanged ||= records.some(isText);
    });
    world.texts.observe(document.body, { subtree: true, childList: true, characterData: true });
  }
  world.textChanged = false;
  const running = document.getAnimations().filter(({ playState }) => playState === "running");
  const isEndless = ({ effect }: Animation) => effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY;
  const isScripts = (animation: Animation) => !(animation instanceof CSSTransition || animation instanceof CSSAnimation);
  const isEmpty = (element: Element) =>
    (Reflect.get(Element.prototype, "textContent", element) ?? "").trim() === "" &&
    !Element.prototype.querySelector.call(element, "img, svg, canvas, input, i");
  /**
   * Whether the viewport has an empty text element that a script may be about to type into, a layer over it, or nothing visible in it.
   */
  const isUnfinished = () => {
    const timers = atLast !== undefined && atLast.timer > timersBefore + ownTimers + 1;
    const empty = timers ? [...document.querySelectorAll("h1, h2, h3, h4, h5, h6, p")].filter(isEmpty) : undefined;
    if (empty?.some(isInView)) return true;
    const isVisible = (child: Element, options = {}) => Element.prototype.checkVisibility.call(child, options);
    const seen = [...(document.body?.children ?? [])].filter((child) => isVisible(child) && isInView(child));
    if (!seen.some((child) => isVisible(child, { opacityProperty: true, visibilityProperty: true }))) return true;
    let layer = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
    const isPage = layer === document.body || layer === document.documentElement;
    if (layer && isPage && ["::before", "::after"].some((pseudo) => getComputedStyle(layer as Element, pseudo).position === "fixed"))
      return true;
    while (layer && !/fixed|absolute/.test(getComputedStyle(layer).position)) layer = Reflect.get(Node.prototype, "parentElement", layer);
    return layer !== null;
  };
  const movesByItself = document.querySelector("video, animate, animateMotion, animateTransform, set") !== null;
  const hasShadows = () => [...document.querySelectorAll("*")].some(({ shadowRoot }) => shadowRoot?.mode);
  return {
    elsewhere,
    isInert,
    isStill: isInert && running.length === 0 && !movesByItself && !hasShadows(),
    hadTimers,
    fillsLate,
    moves: running.length > 0 || movesByItself,
    mayChange:
      document.scripts.length > 0 && (runs || changesLate || running.some((one) => isEndless(one) || isScripts(one)) || isUnfinished()),
  };
}

/** Resolves when each request has completed, failed or timed out after its `ms`. */
export async function arrival(asked: [url: string, ms: number][]): Promise<void> {
  const arrived = ([url, ms]: [string, number]) =>
    new Promise<void>((resolve) => {
      const observer = new PerformanceObserver((list) => {
        if (list.getEntriesByName(url).length > 0) resolve();
      });
      observer.observe({ type: "resource", buffered: true });
      setTimeout(resolve, ms);
    });
  await Promise.all(asked.map(arrived));
}
