/** Rotate, disable, revoke. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../api/client.ts";
import type { Key } from "../api/types.ts";
import { announce } from "../shell/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { timeOf } from "../ui/words.ts";
import { Secret } from "./secret.tsx";

export function KeyActions({ apiKey }: { apiKey: Key }) {
  const { id, version, state, enabled } = apiKey;
  const [asking, ask] = useState<"rotate" | "revoke">();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const path = `/v1/account/keys/${id}`;
  const refresh = () =>
    Promise.all([queries.invalidateQueries({ queryKey: ["keys"] }), queries.invalidateQueries({ queryKey: ["account"] })]);

  const toggle = useMutation({
    mutationFn: () => call(path, { method: "PATCH", body: { version, enabled: !enabled } }),
    onSuccess: () => announce(enabled ? "Key disabled" : "Key enabled"),
    onError: ({ message }) => announce(message),
    onSettled: refresh,
  });
  const rotate = useMutation({
    mutationFn: () => call<{ key: Key; secret: string; replaced: Key }>(`${path}/rotate`, { method: "POST", body: { version } }),
    onSuccess: () => {
      ask(undefined);
      return refresh();
    },
    gcTime: 0,
  });
  const revoke = useMutation({
    mutationFn: () => call(`${path}/revoke`, { method: "POST" }),
    onSuccess: () => {
      ask(undefined);
      announce("Key revoked");
      return refresh();
    },
  });

  if (state === "revoked") return null;
  return (
    <>
      {state === "active" && <Button onClick={() => ask("rotate")}>Rotate</Button>}
      {(state === "active" || state === "disabled") && (
        <Button pending={toggle.isPending} onClick={() => toggle.mutate()}>
          {enabled ? "Disable" : "Enable"}
        </Button>
      )}
      <Button look="danger" onClick={() => ask("revoke")}>
        Revoke
      </Button>
      {asking === "rotate" && (
        <Confirm
          title={`Rotate “${apiKey.name}”?`}
          action="Rotate"
          pending={rotate.isPending}
          error={rotate.error}
          onConfirm={() => rotate.mutate()}
          onClose={() => ask(undefined)}
        >
          <p>
            You get a new key with the same rules. The present one works for another 24 hours, so that nothing breaks while you replace it.
          </p>
        </Confirm>
      )}
      {asking === "revoke" && (
        <Confirm
          title={`Revoke “${apiKey.name}”?`}
          action="Revoke for good"
          pending={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate()}
          onClose={() => ask(undefined)}
        >
          <p>Requests with it are refused at once, wherever it is used. This can't be undone.</p>
        </Confirm>
      )}
      {rotate.data && (
        <Secret
          title="The new key"
          secret={rotate.data.secret}
          onClose={() => {
            const next = rotate.data.key.id;
            rotate.reset();
            void navigate({ to: "/keys/$id", params: { id: next } });
          }}
        >
          <p className="text-sm text-muted">
            The old one works until {rotate.data.replaced.expires_at ? timeOf(rotate.data.replaced.expires_at) : "tomorrow"}.
          </p>
        </Secret>
      )}
    </>
  );
}
