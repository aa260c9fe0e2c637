/** Search over pages and what the account has: a text field with a list that the arrow keys move through. */

import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useId, useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { type SearchResult, useSearchResults } from "./search-results.ts";

export function SearchDialog({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState("");
  const [position, setPosition] = useState(0);
  const results = useSearchResults(query);
  const navigate = useNavigate();
  const id = useId();
  const marked = Math.min(position, results.length - 1);
  const open = (result: SearchResult | undefined) => {
    if (!result) return;
    onClose();
    void navigate(result.link as never);
  };
  const press = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (event.key === "Enter") open(results[marked]);
    if (step === undefined || results.length === 0) return;
    event.preventDefault();
    setPosition((marked + step + results.length) % results.length);
  };
  return (
    <Dialog title="Search" onClose={onClose}>
      <input
        type="search"
        role="combobox"
        aria-label="Search pages, keys, watches, batches, sessions and screenshots"
        aria-expanded={results.length > 0}
        aria-controls={`${id}-results`}
        aria-activedescendant={results.length > 0 ? `${id}-${marked}` : undefined}
        placeholder="A page, a name, a title or a URL"
        spellCheck={false}
        autoComplete="off"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setPosition(0);
        }}
        onKeyDown={press}
        className="control"
      />
      <div id={`${id}-results`} role="listbox" aria-label="Results" className="grid max-h-[50dvh] grid-cols-1 gap-0.5 overflow-y-auto">
        {results.map((result, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and handles the keys
          <div
            key={result.id}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === marked}
            onClick={() => open(result)}
            className="flex cursor-pointer items-center gap-3 rounded-lg px-3 py-2 text-sm hover:bg-line/40 aria-selected:bg-line/70"
          >
            <Icon name={result.icon} className="size-4 text-muted" />
            <span className="min-w-0 flex-1 truncate font-medium">{result.text}</span>
            <span className="max-w-1/2 truncate text-muted">{result.about}</span>
          </div>
        ))}
      </div>
      {results.length === 0 && (
        <p role="status" className="text-sm text-muted">
          Nothing found.
        </p>
      )}
    </Dialog>
  );
}
