/** Deletes a watch with its runs. */

import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { watchesPath } from "../api/watch-queries.ts";
import { DeleteButton } from "../ui/delete-button.tsx";

export function DeleteWatch({ id }: { id: string }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const leave = async () => {
    await navigate({ to: "/watches" });
    queries.removeQueries({ queryKey: ["watches", "one", id] });
    await queries.invalidateQueries({ queryKey: ["watches", "list"] });
  };
  return (
    <DeleteButton noun="watch" path={`${watchesPath}/${id}`} onDeleted={leave}>
      Its runs and their images are permanently deleted.
    </DeleteButton>
  );
}
