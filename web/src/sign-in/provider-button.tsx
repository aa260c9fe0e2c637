/** Redirects to the identity provider; `invitation` is required for sign-up. */

import { useMutation } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";

interface ProviderButtonProps {
  name: string;
  returnTo: string;
  invitation?: string | undefined;
}

export function ProviderButton({ name, returnTo, invitation }: ProviderButtonProps) {
  const redirect = useMutation({
    mutationFn: () => call<{ url: string }>("/v1/auth/sign-in/idp", { method: "POST", body: { return_to: returnTo, invitation } }),
    onSuccess: ({ url }) => location.assign(url),
  });
  return (
    <>
      {redirect.error && <Notice tone="bad">{redirect.error.message}</Notice>}
      <Button pending={redirect.isPending || redirect.isSuccess} onClick={() => redirect.mutate()}>
        Continue with {name}
      </Button>
    </>
  );
}
