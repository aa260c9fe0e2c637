/** Recognizes placeholders that pages show until their content arrives. Runs in the page, so it must be self-contained. */

/**
 * Whether the viewport shows a layer over the content with nothing to read or click, an empty element that shimmers, pulses or spins
 * endlessly, or a page whose entire content is invisible.
 */
export function showsPlaceholder(): boolean {
  const textMax = 60;
  const pixelsMin = 400;
  const isSeen = (element: Element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const isInView = ({ top, bottom, left, right }: DOMRect) => top < innerHeight && bottom > 0 && left < innerWidth && right > 0;
  const holdsContent = (element: Element) =>
    (element.textContent ?? "").trim().length > textMax ||
    element.querySelector("a[href], button, input, select, textarea, video, iframe") !== null;

  const points = [0.1, 0.5, 0.9].flatMap((x) => [0.1, 0.5, 0.9].map((y) => [x * innerWidth, y * innerHeight] as const));
  const stacks = points.map(([x, y]) => document.elementsFromPoint(x, y));
  const isLayer = (element: Element) => {
    const { position, backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
    if (!/fixed|absolute/.test(position) || Number(opacity) < 0.05) return false;
    const isOpaque = backgroundImage !== "none" || !/^rgba\(.*, 0(\.[0-8]\d*)?\)$/.test(backgroundColor);
    return isOpaque && !holdsContent(element) && stacks.every(([top]) => top && element.contains(top));
  };
  const covers = (element: Element) => {
    const isBelow = (other: Element) => !element.contains(other) && !other.contains(element);
    return isLayer(element) && stacks.some((stack) => stack.some(isBelow));
  };
  for (let element = stacks[4]?.[0] ?? null; element && element !== document.body; element = element.parentElement)
    if (covers(element)) return true;

  const isWaiting = (animation: Animation) => {
    const { effect, playState } = animation;
    if (!(animation instanceof CSSAnimation && effect instanceof KeyframeEffect) || playState !== "running") return false;
    const { target, pseudoElement } = effect;
    if (!target || effect.getComputedTiming().endTime !== Number.POSITIVE_INFINITY) return false;
    const box = target.getBoundingClientRect();
    if (box.width * box.height < pixelsMin || !isInView(box) || !isSeen(target)) return false;
    if ((target.textContent ?? "").trim() !== "" || target.matches("img, video, canvas") || target.querySelector("img, video, canvas"))
      return false;
    return effect.getKeyframes().some((frame) => {
      const moved = `${frame.transform ?? ""} ${frame.rotate ?? ""}`;
      return (
        "backgroundPositionX" in frame ||
        "backgroundPosition" in frame ||
        "opacity" in frame ||
        "backgroundColor" in frame ||
        "strokeDashoffset" in frame ||
        /rotate|deg|turn/.test(moved) ||
        (pseudoElement !== null && /translate/.test(moved))
      );
    });
  };
  if (document.getAnimations().some(isWaiting)) return true;

  const inView = [...(document.body?.children ?? [])].filter((element) => {
    const box = element.getBoundingClientRect();
    return box.width * box.height >= pixelsMin && isInView(box) && (element.textContent ?? "").trim() !== "";
  });
  return inView.length > 0 && !inView.some(isSeen);
}
