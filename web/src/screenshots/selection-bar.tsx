/** Selects all screenshots shown, and deletes the selected ones. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import { announce } from "../shell/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { counted } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";

interface SelectionBarProps {
  /** Ids. */
  shown: string[];
  chosen: string[];
  onChoose: (ids: string[]) => void;
}

/** The maximum number that the API deletes in one request. */
const deletedMax = 100;

export function SelectionBar({ shown, chosen, onChoose }: SelectionBarProps) {
  const [confirming, setConfirming] = useState(false);
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: async (ids: string[]) => {
      let deleted = 0;
      for (let start = 0; start < ids.length; start += deletedMax) {
        const body = { ids: ids.slice(start, start + deletedMax) };
        deleted += (await call<{ deleted: string[] }>("/v1/account/screenshots/delete", { method: "POST", body })).deleted.length;
      }
      return deleted;
    },
    onSuccess: (deleted) => {
      setConfirming(false);
      announce(`${counted(deleted, "screenshot")} deleted`);
      onChoose([]);
    },
    onSettled: () => refresh(queries, "screenshots"),
  });
  return (
    <div className="flex flex-wrap items-center gap-3 text-sm">
      <label className="inline-flex min-h-9 items-center gap-2.5">
        <input
          type="checkbox"
          checked={chosen.length === shown.length}
          onChange={(event) => onChoose(event.target.checked ? shown : [])}
          className="size-4 accent-accent"
        />
        {chosen.length === 0 ? "Select all" : `${chosen.length} selected`}
      </label>
      {chosen.length > 0 && (
        <>
          <Button look="danger" onClick={() => setConfirming(true)}>
            <Icon name="remove" />
            Delete
          </Button>
          <Button onClick={() => onChoose([])}>Clear selection</Button>
        </>
      )}
      {confirming && (
        <Confirm
          title={`Delete ${counted(chosen.length, "screenshot")}?`}
          action="Delete"
          pending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(chosen)}
          onClose={() => setConfirming(false)}
        >
          <p>The files and their records will be permanently deleted. They still count towards your monthly quota.</p>
        </Confirm>
      )}
    </div>
  );
}
