/** Submits a step of a sign-in or sign-up, and continues to the requested page after the last one. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { call } from "../api/client.ts";
import type { User } from "../api/types.ts";

/** Continues to the requested page as the user who has just signed in. */
export function useEnter(): () => void {
  const queries = useQueryClient();
  const router = useRouter();
  const { to } = useSearch({ from: "/signed-out" });
  return () => {
    queries.clear(); // may hold data of the previous user
    router.history.push(to ?? "/");
  };
}

export function useSignIn(path: "/v1/auth/sign-in" | "/v1/auth/sign-up" | "/v1/auth/second-factor") {
  const enter = useEnter();
  return useMutation({
    mutationFn: (body: Record<string, unknown>) => call<{ user: User | null }>(path, { method: "POST", body }),
    onSuccess: ({ user }) => {
      if (user) enter(); // otherwise there is another step
    },
  });
}
