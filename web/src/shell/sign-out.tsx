/** Ends the session and clears all cached data. */

import { useMutation } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { useLeave } from "../api/use-leave.ts";
import { Icon } from "../ui/icon.tsx";
import { announce } from "./announcer.tsx";

export function SignOut({ className }: { className: string }) {
  const leave = useLeave();
  const signOut = useMutation({
    mutationFn: () => call("/v1/auth/sign-out", { method: "POST" }),
    onSuccess: leave,
    onError: ({ message }) => announce(message),
  });
  return (
    <button type="button" className={className} onClick={() => signOut.mutate()}>
      <Icon name="signOut" />
      Sign out
    </button>
  );
}
