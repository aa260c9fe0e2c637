/** Opens the search: a button, and the `/` key. */

import { useEffect, useState } from "react";
import { Icon } from "../ui/icon.tsx";

/** Whether the search is open, and how to change that; also handles the key. */
export function useSearchDialog(): [isOpen: boolean, setOpen: (isOpen: boolean) => void] {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping = (event.target as Element).closest("input, textarea, select, [contenteditable], dialog");
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      setOpen(true);
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
  return [isOpen, setOpen];
}

export function SearchButton({ onClick }: { onClick: () => void }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex min-h-10 w-full items-center gap-2.5 rounded-lg border border-edge bg-surface px-3 text-sm text-muted hover:text-ink"
    >
      <Icon name="search" />
      <span className="flex-1 text-left">Search</span>
      <span aria-hidden="true" className="rounded border border-line px-1.5 font-mono text-xs max-lg:hidden">
        /
      </span>
    </button>
  );
}
