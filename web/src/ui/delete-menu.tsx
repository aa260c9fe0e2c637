/** A page's less common actions, in a menu whose last one deletes what the page shows, after confirmation. */

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { call } from "../api/client.ts";
import { announce } from "../shell/announcer.tsx";
import { Confirm } from "./dialog.tsx";
import { Icon } from "./icon.tsx";
import { Menu, menuDanger } from "./menu.tsx";

interface DeleteMenuProps {
  /** As in "Delete this watch?". */
  noun: string;
  path: string;
  /** Navigates away from the page. */
  onDeleted: () => Promise<void>;
  /** What will be lost along with it. */
  warning: ReactNode;
  /** Links and buttons above Delete. */
  children?: ReactNode;
}

export function DeleteMenu({ noun, path, onDeleted, warning, children }: DeleteMenuProps) {
  const [confirming, setConfirming] = useState(false);
  const remove = useMutation({
    mutationFn: () => call(path, { method: "DELETE" }),
    onSuccess: async () => {
      announce(`${noun.charAt(0).toUpperCase()}${noun.slice(1)} deleted`);
      await onDeleted();
    },
  });
  return (
    <>
      <Menu
        label="More actions"
        className="grid size-10 place-items-center rounded-lg border border-edge bg-surface hover:bg-sunken"
        panel={
          <>
            {children}
            <button type="button" className={menuDanger} onClick={() => setConfirming(true)}>
              <Icon name="remove" />
              Delete
            </button>
          </>
        }
      >
        <Icon name="more" />
      </Menu>
      {confirming && (
        <Confirm
          title={`Delete this ${noun}?`}
          action="Delete"
          pending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setConfirming(false)}
        >
          <p>{warning}</p>
        </Confirm>
      )}
    </>
  );
}
