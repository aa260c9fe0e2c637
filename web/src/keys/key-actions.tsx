/** Rotates, disables and revokes a key. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import type { Key } from "../api/types.ts";
import { announce } from "../shell/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { timeOf } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { type Action, ActionMenu } from "../ui/menu.tsx";
import { Secret } from "./secret.tsx";

interface KeyActionsProps {
  apiKey: Key;
  /** Buttons on the key's page, or a menu in the list. */
  as: "buttons" | "menu";
}

export function KeyActions({ apiKey, as }: KeyActionsProps) {
  const { id, version, state, enabled } = apiKey;
  const [confirming, setConfirming] = useState<"rotate" | "revoke">();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const path = `/v1/account/keys/${id}`;
  const refreshKeys = () => refresh(queries, "keys", "account");

  const toggle = useMutation({
    mutationFn: () => call(path, { method: "PATCH", body: { version, enabled: !enabled } }),
    onSuccess: () => announce(enabled ? "Key disabled" : "Key enabled"),
    onError: ({ message }) => announce(message),
    onSettled: refreshKeys,
  });
  const rotate = useMutation({
    mutationFn: () => call<{ key: Key; secret: string; replaced: Key }>(`${path}/rotate`, { method: "POST", body: { version } }),
    onSuccess: () => {
      setConfirming(undefined);
      return refreshKeys();
    },
    gcTime: 0,
  });
  const revoke = useMutation({
    mutationFn: () => call(`${path}/revoke`, { method: "POST" }),
    onSuccess: () => {
      setConfirming(undefined);
      announce("Key revoked");
      return refreshKeys();
    },
  });

  if (state === "revoked") return null;
  const actions: Action[] = [
    ...(state === "active" ? [{ label: "Rotate", icon: "rotate" as const, run: () => setConfirming("rotate") }] : []),
    ...(state === "active" || state === "disabled"
      ? [{ label: enabled ? "Disable" : "Enable", icon: "disable" as const, pending: toggle.isPending, run: () => toggle.mutate() }]
      : []),
    { label: "Revoke", icon: "remove", isDangerous: true, run: () => setConfirming("revoke") },
  ];
  return (
    <>
      {as === "menu" ? <ActionMenu name={apiKey.name} actions={actions} /> : <ActionButtons actions={actions} />}
      {confirming === "rotate" && (
        <Confirm
          title={`Rotate “${apiKey.name}”?`}
          action="Rotate"
          pending={rotate.isPending}
          error={rotate.error}
          onConfirm={() => rotate.mutate()}
          onClose={() => setConfirming(undefined)}
        >
          <p>
            This creates a new key with the same rules. The current key keeps working for 24 hours, so that you have time to replace it.
          </p>
        </Confirm>
      )}
      {confirming === "revoke" && (
        <Confirm
          title={`Revoke “${apiKey.name}”?`}
          action="Revoke permanently"
          pending={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate()}
          onClose={() => setConfirming(undefined)}
        >
          <p>The key stops working immediately, everywhere. This can't be undone.</p>
        </Confirm>
      )}
      {rotate.data && (
        <Secret
          title="Your new key"
          apiKey={rotate.data.key}
          secret={rotate.data.secret}
          onClose={() => {
            const next = rotate.data.key.id;
            rotate.reset();
            void navigate({ to: "/keys/$id", params: { id: next } });
          }}
        >
          <p className="text-sm text-muted">
            The old key works until {rotate.data.replaced.expires_at ? timeOf(rotate.data.replaced.expires_at) : "tomorrow"}.
          </p>
        </Secret>
      )}
    </>
  );
}

function ActionButtons({ actions }: { actions: Action[] }) {
  return actions.map(({ label, icon, isDangerous = false, pending = false, run }) => (
    <Button key={label} look={isDangerous ? "danger" : "plain"} pending={pending} onClick={run}>
      <Icon name={icon} />
      {label}
    </Button>
  ));
}
