/** Detects large parts of a page that scripts keep moving. Runs in the page, so it must be self-contained. */

/** Whether something that covers at least a twentieth of the viewport's area keeps changing for half a second. */
export async function keepsMoving(): Promise<boolean> {
  const [periods, periodFrames, frameMs, canvasesMax, canvasSide] = [3, 10, 100, 10, 64];
  const areaMin = (innerWidth * innerHeight) / 20;
  const isLarge = (element: Element) => {
    const { width, height } = Element.prototype.getBoundingClientRect.call(element);
    return (
      width * height >= areaMin && Element.prototype.checkVisibility.call(element, { opacityProperty: true, visibilityProperty: true })
    );
  };
  /** Number of periods in which each element has changed. */
  const counts = new Map<Element, number>();
  let changed = new Set<Element>();
  // Smooth scrolling and easing can continue long after the difference has become invisible.
  const rounded = (value: string | null) => (value ?? "").slice(0, 2_000).replace(/(\.\d\d)\d+/g, "$1");
  const changes = new MutationObserver((records) => {
    for (const { target, attributeName, oldValue } of records)
      if (target instanceof Element && rounded(Element.prototype.getAttribute.call(target, attributeName ?? "")) !== rounded(oldValue))
        changed.add(target);
  });
  changes.observe(document.body ?? document, {
    subtree: true,
    attributes: true,
    attributeOldValue: true,
    attributeFilter: ["style", "transform", "d"],
  });
  const canvases = [...document.querySelectorAll("canvas")].filter(isLarge).slice(0, canvasesMax);
  const copy = new OffscreenCanvas(canvasSide, canvasSide).getContext("2d", { willReadFrequently: true });
  const drawn = new Map<Element, string>();
  const compare = (canvas: HTMLCanvasElement) => {
    try {
      copy?.clearRect(0, 0, canvasSide, canvasSide);
      copy?.drawImage(canvas, 0, 0, canvasSide, canvasSide);
      const now = String(copy?.getImageData(0, 0, canvasSide, canvasSide).data);
      if (drawn.has(canvas) && drawn.get(canvas) !== now) changed.add(canvas);
      drawn.set(canvas, now);
    } catch {} // the canvas is tainted by cross-origin images
  };
  for (let frame = 1; frame <= periods * periodFrames; frame += 1) {
    await new Promise<void>((resolve) => {
      requestAnimationFrame(() => setTimeout(resolve));
      setTimeout(resolve, frameMs); // a page that doesn't draw anything gets no frames
    });
    canvases.forEach(compare);
    if (frame % periodFrames > 0) continue;
    for (const element of changed) counts.set(element, (counts.get(element) ?? 0) + 1);
    changed = new Set();
  }
  changes.disconnect();
  return [...counts].some(([element, count]) => count === periods && isLarge(element));
}
