/** Opens the search: a button, the `/` key, and Ctrl+K or Cmd+K. */

import { useEffect, useState } from "react";
import { Icon } from "../ui/icon.tsx";

/** Whether the search is open, and how to change that; listens for the keys. */
export function useSearchDialog(): [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
      const target = event.target as Element;
      const isChord = key.toLowerCase() === "k" && (ctrlKey || metaKey) && !altKey && !shiftKey;
      const isSlash = key === "/" && !ctrlKey && !metaKey && !altKey && !target.closest("input, textarea, select, [contenteditable]");
      if (!(isChord || isSlash) || target.closest("dialog")) return;
      event.preventDefault();
      setOpen(true);
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
  return [isOpen, setOpen];
}

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function SearchButton({ onClick }: { onClick: () => void }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex min-h-10 w-full items-center gap-2.5 rounded-lg border border-edge bg-surface px-3 text-sm text-muted hover:text-ink"
    >
      <Icon name="search" />
      <span className="flex-1 text-left">Search</span>
      <span aria-hidden="true" className="rounded border border-line px-1.5 text-xs max-lg:hidden">
        {isMac ? "⌘K" : "Ctrl K"}
      </span>
    </button>
  );
}
