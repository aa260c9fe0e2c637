/** The scrolling frame of a run's images; scrolls to the highlighted region. */

import { type ReactNode, useEffect, useRef } from "react";

interface ViewportProps {
  label: string;
  selected: number | undefined;
  children: ReactNode;
}

export function Viewport({ label, selected, children }: ViewportProps) {
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    const marked = selected !== undefined && frame.current?.querySelector("[data-selected]");
    if (!marked || !frame.current) return;
    const { top, height } = frame.current.getBoundingClientRect();
    const box = marked.getBoundingClientRect();
    if (box.top < top || box.bottom > top + height) frame.current.scrollTop += box.top - top - height / 3;
  }, [selected]);
  return (
    <section
      ref={frame}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
      tabIndex={0}
      className="max-h-[75dvh] min-h-40 overflow-auto rounded-lg border border-line bg-sunken"
    >
      {children}
    </section>
  );
}
