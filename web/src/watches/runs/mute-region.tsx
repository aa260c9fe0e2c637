/** Mutes a region in later comparisons, or unmutes it. */

import type { Watch } from "../../api/types.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { Region } from "../comparison/sides.ts";
import { useWatchAction } from "../use-watch-action.ts";

export function MuteRegion({ watch: { id, muted }, region }: { watch: Watch; region: Region }) {
  const { mutate, isPending } = useWatchAction(id);
  const { selector, name } = region;
  const box = region.after ?? region.before;
  const isIt = (one: Watch["muted"][number]) =>
    selector === null
      ? one.box !== null && JSON.stringify(valuesOf(one.box)) === JSON.stringify(box && valuesOf(box))
      : one.selector === selector;
  const found = muted.find(isIt);
  const change = found
    ? { method: "DELETE" as const, path: `/muted/${found.id}`, done: "Compared again" }
    : { path: "/muted", body: selector === null ? { box } : { selector }, done: "Muted starting with the next run" };
  return (
    <Button aria-label={`${found ? "Unmute" : "Mute"} ${name}`} pending={isPending} onClick={() => mutate(change)}>
      <Icon name={found ? "unmute" : "mute"} />
      {found ? "Unmute" : "Mute"}
    </Button>
  );
}

const valuesOf = ({ x, y, width, height }: NonNullable<Region["after"]>): number[] => [x, y, width, height];
