/** Short news of what was done: seen for a while at the page's foot, and read out. */

import { useEffect, useState } from "react";

const shownMs = 5_000;
const events = new EventTarget();

export function announce(words: string): void {
  events.dispatchEvent(new CustomEvent("words", { detail: words }));
}

/** Stands once in the page; must be there before the first words. */
export function Announcer() {
  const [words, say] = useState("");
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const show = (event: Event) => {
      clearTimeout(timer);
      say((event as CustomEvent<string>).detail);
      timer = setTimeout(() => say(""), shownMs);
    };
    events.addEventListener("words", show);
    return () => {
      clearTimeout(timer);
      events.removeEventListener("words", show);
    };
  }, []);
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 bottom-6 z-50 flex justify-center px-4">
      {words && <p className="rounded-lg bg-ink px-4 py-2 text-sm font-medium text-paper">{words}</p>}
    </div>
  );
}
