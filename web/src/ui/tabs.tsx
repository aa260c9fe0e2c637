/** Tabs with arrow key navigation, following the ARIA pattern. The selected tab stays selected when others are added or removed. */

import { type KeyboardEvent, type ReactNode, useId, useState } from "react";

export function Tabs({ label, tabs }: { label: string; tabs: { name: string; content: ReactNode }[] }) {
  const [name, choose] = useState<string>();
  const chosen = Math.max(
    0,
    tabs.findIndex((tab) => tab.name === name),
  );
  const id = useId();
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const steps: Record<string, number> = {
      ArrowRight: (chosen + 1) % tabs.length,
      ArrowLeft: (chosen + tabs.length - 1) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    choose(tabs[next]?.name);
    (event.currentTarget.children[next] as HTMLElement).focus();
  };
  return (
    <div className="grid min-w-0 gap-3">
      <div role="tablist" aria-label={label} onKeyDown={move} className="flex gap-1 overflow-x-auto overflow-y-hidden border-b border-line">
        {tabs.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-selected={index === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={index === chosen ? 0 : -1}
            onClick={() => choose(name)}
            className="-mb-px border-b-2 border-transparent px-3 py-2 text-sm font-medium text-muted -outline-offset-2 hover:text-ink aria-selected:border-ink aria-selected:text-ink"
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${chosen}`} className="min-w-0">
        {tabs[chosen]?.content}
      </div>
    </div>
  );
}
