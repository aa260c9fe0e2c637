/** Buttons that open a small panel of links and buttons; a native popover, which Escape and a click elsewhere close. */

import { type ReactNode, useId, useRef } from "react";
import { Icon, type IconName } from "./icon.tsx";

interface MenuProps {
  /** Content of the button. */
  children: ReactNode;
  /** Accessible name of the button, if its content doesn't provide one. */
  label?: string;
  className: string;
  panel: ReactNode;
}

/** Clicking a link or a button in the panel closes the panel. */
export function Menu({ children, label, className, panel }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const place = (popover: HTMLElement) => {
    const { top, bottom, left, right } = (button.current as HTMLElement).getBoundingClientRect();
    const [isLow, isRight] = [top > innerHeight / 2, left > innerWidth / 2];
    popover.style.top = isLow ? "auto" : `${bottom + gap}px`;
    popover.style.bottom = isLow ? `${innerHeight - top + gap}px` : "auto";
    popover.style.left = isRight ? "auto" : `${left}px`;
    popover.style.right = isRight ? `${document.documentElement.clientWidth - right}px` : "auto";
  };
  return (
    <>
      <button ref={button} type="button" popoverTarget={id} aria-label={label} className={className}>
        {children}
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: pressing a key on a button inside is a click as well */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it only handles clicks on the buttons inside */}
      <div
        id={id}
        popover="auto"
        onBeforeToggle={(event) => event.newState === "open" && event.target === event.currentTarget && place(event.currentTarget)}
        onClick={(event) => (event.target as Element).closest("a, button") && event.currentTarget.hidePopover()}
        className="m-0 min-w-48 motion-safe:animate-rise rounded-xl border border-line bg-surface p-1.5 text-sm text-ink shadow-xl"
      >
        {panel}
      </div>
    </>
  );
}

const gap = 6;

/** For links and buttons in a menu. */
const shape =
  "flex min-h-9 w-full items-center gap-2.5 rounded-lg px-3 py-1.5 text-left font-medium hover:bg-line/50 aria-disabled:opacity-60";
export const menuItem = `${shape} text-ink`;
export const menuDanger = `${shape} text-bad`;

export interface Action {
  label: string;
  icon: IconName;
  isDangerous?: boolean;
  pending?: boolean;
  run: () => void;
}

/** The actions of a row in a list. @param name of what the row shows. */
export function ActionMenu({ name, actions }: { name: string; actions: Action[] }) {
  return (
    <Menu
      label={`Actions for ${name}`}
      className="relative z-10 grid size-9 place-items-center rounded-lg text-muted hover:bg-line/50 hover:text-ink"
      panel={actions.map(({ label, icon, isDangerous = false, pending = false, run }) => (
        <button
          key={label}
          type="button"
          aria-disabled={pending || undefined}
          onClick={() => !pending && run()}
          className={isDangerous ? menuDanger : menuItem}
        >
          <Icon name={icon} />
          {label}
        </button>
      ))}
    >
      <Icon name="more" />
    </Menu>
  );
}
