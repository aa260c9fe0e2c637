/** A modal dialog, based on the native element, which traps and restores the focus. */

import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";

interface DialogProps {
  title: string;
  onClose: () => void;
  /** A click on the backdrop doesn't close the dialog, because its content would be lost. */
  firm?: boolean;
  /** Escape doesn't close it either, only its buttons do. */
  held?: boolean;
  /** `window` makes it as large as the window. */
  size?: "text" | "window";
  children: ReactNode;
}

const sizes = {
  text: "max-h-[min(90dvh,56rem)] w-[min(40rem,calc(100vw-2rem))]",
  window: "max-h-dvh h-[calc(100dvh-1rem)] max-w-none w-[calc(100vw-1rem)]",
};

/** Open while it is rendered. */
export function Dialog({ title, onClose, firm = false, held = false, size = "text", children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Closed before it is removed, because otherwise the focus would not be restored.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it by itself; the click is only for the backdrop.
    <dialog
      ref={dialog}
      aria-labelledby={id}
      closedby={held ? "none" : "closerequest"}
      onCancel={(event) => held && event.preventDefault()} // for browsers without `closedby`
      onClose={() => dialog.current?.open === false && onClose()}
      onClick={(event) => !firm && event.target === event.currentTarget && event.currentTarget.close()}
      className={`m-auto overflow-y-auto motion-safe:animate-rise rounded-2xl border border-line bg-surface p-0 text-ink ${sizes[size]}`}
    >
      <div className="grid gap-5 p-6">
        <h2 id={id} className="text-lg font-semibold tracking-tight">
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  );
}

interface DialogButtonsProps {
  /** Label of the button. */
  action: string;
  look?: "primary" | "danger";
  pending: boolean;
  /** If absent, the button submits the form around it. */
  onAction?: () => void;
  onClose: () => void;
}

/** The last row of a dialog: Cancel, and the dialog's action. */
export function DialogButtons({ action, look = "primary", pending, onAction, onClose }: DialogButtonsProps) {
  return (
    <div className="flex flex-wrap justify-end gap-3">
      <Button onClick={onClose}>Cancel</Button>
      <Button type={onAction ? "button" : "submit"} look={look} pending={pending} onClick={onAction}>
        {action}
      </Button>
    </div>
  );
}

interface ConfirmProps {
  title: string;
  /** Label of the button. */
  action: string;
  onConfirm: () => void;
  onClose: () => void;
  pending: boolean;
  error: Error | null;
  children: ReactNode;
}

/** Confirmation of an irreversible action. */
export function Confirm({ title, action, onConfirm, onClose, pending, error, children }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {error && <Notice tone="bad">{error.message}</Notice>}
      <div className="grid gap-3 text-sm">{children}</div>
      <DialogButtons action={action} look="danger" pending={pending} onAction={onConfirm} onClose={onClose} />
    </Dialog>
  );
}
