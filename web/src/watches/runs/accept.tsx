/** Accepts a run: later runs are compared with it. */

import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useWatchAction } from "../use-watch-action.ts";

export function Accept({ watchId, runId }: { watchId: string; runId: string }) {
  const { mutate, isPending } = useWatchAction(watchId);
  return (
    <Button look="primary" pending={isPending} onClick={() => mutate({ path: "/accept", body: { run_id: runId }, done: "Accepted" })}>
      <Icon name="check" />
      Accept
    </Button>
  );
}
