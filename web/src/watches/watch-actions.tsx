/** Actions for the owner of a watch: run, pause, edit, delete. */

import type { Watch } from "../api/types.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { DeleteWatch } from "./delete-watch.tsx";
import { useWatchAction } from "./use-watch-action.ts";

export function WatchActions({ watch: { id, state, latest_run: run } }: { watch: Watch }) {
  const { mutate, isPending, variables } = useWatchAction(id);
  const isOpen = run?.status === "queued" || run?.status === "running";
  const isPaused = state === "paused";
  const toggle = isPaused ? { path: "/resume", done: "Watch resumed" } : { path: "/pause", done: "Watch paused" };
  return (
    <>
      <Button
        look="primary"
        pending={(isPending && variables.path === "/run") || isOpen}
        onClick={() => mutate({ path: "/run", done: "Running" })}
      >
        <Icon name="rotate" />
        {isOpen ? "Running…" : "Run now"}
      </Button>
      <Button pending={isPending && variables.path === toggle.path} onClick={() => mutate(toggle)}>
        <Icon name={isPaused ? "play" : "pause"} />
        {isPaused ? "Resume" : "Pause"}
      </Button>
      <ButtonLink to="/watches/$id/edit" params={{ id }}>
        <Icon name="edit" />
        Edit
      </ButtonLink>
      <DeleteWatch id={id} />
    </>
  );
}
