/** Ends the session and clears all cached data. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { call } from "../api/client.ts";
import { Icon } from "../ui/icon.tsx";
import { announce } from "./announcer.tsx";

export function SignOut({ className }: { className: string }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const signOut = useMutation({
    mutationFn: () => call("/v1/auth/sign-out", { method: "POST" }),
    onSuccess: async () => {
      await navigate({ to: "/sign-in" });
      queries.clear();
    },
    onError: ({ message }) => announce(message),
  });
  return (
    <button type="button" className={className} onClick={() => signOut.mutate()}>
      <Icon name="signOut" />
      Sign out
    </button>
  );
}
