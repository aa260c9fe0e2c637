/** Goes to the identity provider, which sends people back. */

import { useMutation } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";

export function ProviderButton({ name, returnTo }: { name: string; returnTo: string }) {
  const leave = useMutation({
    mutationFn: () => call<{ url: string }>("/v1/auth/sign-in/idp", { method: "POST", body: { return_to: returnTo } }),
    onSuccess: ({ url }) => location.assign(url),
  });
  return (
    <>
      {leave.error && <Notice tone="bad">{leave.error.message}</Notice>}
      <Button pending={leave.isPending || leave.isSuccess} onClick={() => leave.mutate()}>
        Continue with {name}
      </Button>
    </>
  );
}
