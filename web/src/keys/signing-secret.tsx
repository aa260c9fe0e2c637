/** Shows a key's signing secret on demand. */

import { useMutation } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Notice } from "../ui/notice.tsx";

export function SigningSecret({ keyId }: { keyId: string }) {
  const show = useMutation({
    mutationFn: () => call<{ signing_secret: string }>(`/v1/account/keys/${keyId}/signing-secret`),
    gcTime: 0,
  });
  const secret = show.data?.signing_secret;
  return (
    <div className="grid justify-items-start gap-3">
      {show.error && <Notice tone="bad">{show.error.message}</Notice>}
      {secret === undefined ? (
        <Button pending={show.isPending} onClick={() => show.mutate()}>
          Show signing secret
        </Button>
      ) : (
        <>
          <code className="control font-mono text-sm break-all select-all">{secret}</code>
          <CopyButton text={secret} what="the signing secret" />
        </>
      )}
      <p className="text-sm text-muted">
        Sign a request with the hex HMAC-SHA256 of its query string, exactly as sent, and append it as{" "}
        <code className="font-mono">signature</code>.
      </p>
    </div>
  );
}
