/** Lets a page come to rest. Runs in the page, so it may use nothing from outside of itself. */

export interface Settled {
  /** Addresses of images that still load and are out of view. */
  elsewhere: string[];
  /** Whether there are animations that run, or a video. */
  moves: boolean;
}

/**
 * Waits for the load event, for frames in which nothing changes, for fonts, and for images in view to be decoded; each but the
 * first for a bounded time.
 */
export async function settle(): Promise<Settled> {
  const stepMs = 3_000;
  /** A page that never rests moves by itself. */
  const roundsMax = 8;
  const atMost = (ms: number, moment: Promise<unknown>) => Promise.race([moment, new Promise((resolve) => setTimeout(resolve, ms))]);
  // The page's own observers hear of a frame together with this one, so what they begin has begun when it resolves.
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

  // The load event follows at once; for a document whose answer broke off it never comes.
  while (document.readyState !== "complete")
    await new Promise((resolve) => document.addEventListener("readystatechange", resolve, { once: true }));

  let changed = false;
  const changes = new MutationObserver(() => {
    changed = true;
  });
  changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  // Where nothing runs and no other document is shown, all that is still to come is what laying the page out asks for.
  const isInert = !document.querySelector("script, iframe, frame, object, embed, [loading=lazy], [autofocus], [onload], [onerror]");
  if (isInert) document.documentElement?.getBoundingClientRect();
  const quietNeeded = isInert ? 0 : document.scripts.length > 0 ? 2 : 1;
  for (let round = 0, quiet = 0; quiet < quietNeeded && round < roundsMax; round += 1) {
    changed = false;
    await frame();
    await idle();
    quiet = changed ? 0 : quiet + 1;
  }
  changes.disconnect();

  if (document.fonts.status === "loading") await atMost(stepMs, document.fonts.ready);
  const elsewhere: string[] = [];
  const decoded = [...document.images].map((image) => {
    const { top, bottom, left, right } = image.getBoundingClientRect();
    if (top < innerHeight && bottom > 0 && left < innerWidth && right > 0) return image.decode().catch(() => {}); // a broken image is as ready as it gets
    if (!image.complete) elsewhere.push(image.currentSrc);
    return undefined;
  });
  await atMost(stepMs, Promise.all(decoded));
  const moves = document.getAnimations().some(({ playState }) => playState === "running") || document.querySelector("video") !== null;
  return { elsewhere, moves };
}

/** Each of `asked` is complete, has failed, or has had its time. */
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
