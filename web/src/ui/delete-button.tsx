/** Deletes what a page shows, after a confirmation, and leaves the page. */

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { call } from "../api/client.ts";
import { announce } from "../shell/announcer.tsx";
import { Button } from "./button.tsx";
import { Confirm } from "./dialog.tsx";

/** @param noun as in "Delete this watch?". @param children what is lost with it. */
export function DeleteButton({
  noun,
  path,
  onDeleted,
  children,
}: {
  noun: string;
  path: string;
  onDeleted: () => Promise<void>;
  children: ReactNode;
}) {
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
      <Button look="danger" onClick={() => setConfirming(true)}>
        Delete
      </Button>
      {confirming && (
        <Confirm
          title={`Delete this ${noun}?`}
          action="Delete"
          pending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setConfirming(false)}
        >
          <p>{children}</p>
        </Confirm>
      )}
    </>
  );
}
