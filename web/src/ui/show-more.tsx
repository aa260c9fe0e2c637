/** Loads the next page of a list, if there is one. */

import { Button } from "./button.tsx";

interface ShowMoreProps {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  label?: string;
}

export function ShowMore({ list, label = "Show more" }: ShowMoreProps) {
  if (!list.hasNextPage) return null;
  return (
    <Button className="justify-self-center" pending={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
      {label}
    </Button>
  );
}
