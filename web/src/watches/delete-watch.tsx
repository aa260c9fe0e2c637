/** Deletes a watch with its runs. */

import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { watchesPath } from "../api/watch-queries.ts";
import { DeleteMenu } from "../ui/delete-menu.tsx";

export function DeleteWatch({ id }: { id: string }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const leave = async () => {
    await navigate({ to: "/watches" });
    queries.removeQueries({ queryKey: ["watches", "one", id] });
    await queries.invalidateQueries({ queryKey: ["watches", "list"] });
  };
  return (
    <DeleteMenu
      noun="watch"
      path={`${watchesPath}/${id}`}
      onDeleted={leave}
      warning="Its runs and their images will be permanently deleted."
    />
  );
}
