/** Sends a sign-in or a sign-up, and goes on to where one wanted to be. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { call } from "../api/client.ts";

export function useEnter(path: "/v1/auth/sign-in" | "/v1/auth/sign-up") {
  const queries = useQueryClient();
  const router = useRouter();
  const { to } = useSearch({ from: "/stranger" });
  return useMutation({
    mutationFn: (body: Record<string, unknown>) => call(path, { method: "POST", body }),
    onSuccess: () => {
      queries.clear(); // whoever was here before
      router.history.push(to ?? "/");
    },
  });
}
