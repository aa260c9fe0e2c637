/** Toast messages: shown briefly at the bottom of the page and announced to screen readers. */

import { useEffect, useState } from "react";

const shownMs = 5_000;
const events = new EventTarget();

export function announce(message: string): void {
  events.dispatchEvent(new CustomEvent("message", { detail: message.replaceAll("`", "") }));
}

/** Rendered once; must be mounted before the first message. */
export function Announcer() {
  const [message, setMessage] = useState("");
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const show = (event: Event) => {
      clearTimeout(timer);
      setMessage((event as CustomEvent<string>).detail);
      timer = setTimeout(() => setMessage(""), shownMs);
    };
    events.addEventListener("message", show);
    return () => {
      clearTimeout(timer);
      events.removeEventListener("message", show);
    };
  }, []);
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 bottom-6 z-50 flex justify-center px-4">
      {message && <p className="rounded-lg bg-ink px-4 motion-safe:animate-rise py-2 text-sm font-medium text-paper">{message}</p>}
    </div>
  );
}
