/** Advances CSS and script animations with the page's own time. Runs in the page, so it must be self-contained. */

export interface PageAnimations {
  /** Moves every running animation to its position at time `to`, and stops media. Returns the time at which the next finite one ends. */
  advance(to: number): { next: number | null };
}

/** Requires the document's timeline to be stopped, because positions are set explicitly. */
export function createAnimations(now: () => number): PageAnimations {
  const seen = new WeakMap<Animation, { since: number; from: number }>();
  const hold = (media: unknown) => {
    if (media instanceof HTMLMediaElement && media.playbackRate !== 0) media.playbackRate = 0;
  };
  document.addEventListener("play", ({ target }) => hold(target), true);

  const roots = () => {
    const found: (Document | ShadowRoot)[] = [document];
    for (const root of found) for (const { shadowRoot } of root.querySelectorAll("*")) if (shadowRoot?.mode) found.push(shadowRoot); // a form field may shadow it
    return found;
  };
  /** Scroll-driven animations don't move by themselves. */
  const moves = ({ timeline, playState }: Animation) => timeline instanceof DocumentTimeline && playState === "running";
  const move = (animation: Animation, to: number): number => {
    const { effect, playbackRate } = animation;
    const end = Number(effect?.getComputedTiming().endTime ?? 0);
    const start = seen.get(animation) ?? { since: now(), from: playbackRate < 0 ? end : Math.max(0, Number(animation.currentTime)) };
    seen.set(animation, start);
    const position = start.from + (to - start.since) * playbackRate;
    if (playbackRate === 0) return Number.POSITIVE_INFINITY;
    if (playbackRate > 0 ? position >= end : position <= 0) {
      animation.finish();
      return Number.POSITIVE_INFINITY;
    }
    animation.currentTime = position;
    return to + (playbackRate > 0 ? (end - position) / playbackRate : position / -playbackRate);
  };
  return {
    advance: (to) => {
      let next = Number.POSITIVE_INFINITY;
      for (const root of roots()) {
        for (const media of root.querySelectorAll("video, audio")) hold(media);
        for (const animation of root.getAnimations()) if (moves(animation)) next = Math.min(next, move(animation, to));
      }
      return { next: Number.isFinite(next) ? next : null };
    },
  };
}
