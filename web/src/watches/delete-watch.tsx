/** Deletes a watch, after a confirmation. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../api/client.ts";
import { watchesPath } from "../api/watch-queries.ts";
import { announce } from "../shell/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/dialog.tsx";

export function DeleteWatch({ id }: { id: string }) {
  const [confirming, setConfirming] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => call(`${watchesPath}/${id}`, { method: "DELETE" }),
    onSuccess: async () => {
      announce("Watch deleted");
      await navigate({ to: "/watches" });
      queries.removeQueries({ queryKey: ["watches", "one", id] });
      await queries.invalidateQueries({ queryKey: ["watches", "list"] });
    },
  });
  return (
    <>
      <Button look="danger" onClick={() => setConfirming(true)}>
        Delete
      </Button>
      {confirming && (
        <Confirm
          title="Delete this watch?"
          action="Delete"
          pending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setConfirming(false)}
        >
          <p>Its runs and their images are permanently deleted.</p>
        </Confirm>
      )}
    </>
  );
}
