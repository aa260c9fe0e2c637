/** Submits a sign-in or sign-up and continues to the requested page. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { call } from "../api/client.ts";
import type { User } from "../api/types.ts";

export function useSignIn(path: "/v1/auth/sign-in" | "/v1/auth/sign-up") {
  const queries = useQueryClient();
  const router = useRouter();
  const { to } = useSearch({ from: "/signed-out" });
  return useMutation({
    mutationFn: (body: Record<string, unknown>) => call<{ user: User | null }>(path, { method: "POST", body }),
    onSuccess: ({ user }) => {
      if (!user) return; // there is another step
      queries.clear(); // may hold data of the previous user
      router.history.push(to ?? "/");
    },
  });
}
