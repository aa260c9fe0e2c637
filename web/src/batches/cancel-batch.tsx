/** Cancels the captures of a batch that have not started. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import { announce } from "../shell/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { counted } from "../ui/format.ts";

export function CancelBatch({ id, queued }: { id: string; queued: number }) {
  const [confirming, setConfirming] = useState(false);
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => call(`/v1/account/batches/${id}`, { method: "DELETE" }),
    onSuccess: async () => {
      setConfirming(false);
      announce("Batch canceled");
      await refresh(queries, "batches");
    },
  });
  return (
    <>
      <Button look="danger" onClick={() => setConfirming(true)}>
        Cancel batch
      </Button>
      {confirming && (
        <Confirm
          title="Cancel this batch?"
          action="Cancel batch"
          pending={cancel.isPending}
          error={cancel.error}
          onConfirm={() => cancel.mutate()}
          onClose={() => setConfirming(false)}
        >
          <p>
            {queued > 0
              ? `${counted(queued, "capture")} that have not started will be canceled, and cost nothing. Running captures are finished.`
              : "No more pages are added. Running captures are finished."}
          </p>
        </Confirm>
      )}
    </>
  );
}
