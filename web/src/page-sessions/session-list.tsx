/** Page sessions: for which hosts they are, when they were used, and a menu of what can be done with each. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import type { PageSession } from "../api/types.ts";
import { announce } from "../shell/announcer.tsx";
import { Ago } from "../ui/ago.tsx";
import { Confirm } from "../ui/dialog.tsx";
import { counted } from "../ui/format.ts";
import { ActionMenu } from "../ui/menu.tsx";
import { SaveSession } from "./save-session.tsx";
import { SignInAgain } from "./sign-in-again.tsx";

export function SessionList({ sessions }: { sessions: PageSession[] }) {
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-2xl border border-line bg-surface">
      {sessions.map((session) => (
        <Row key={session.id} session={session} />
      ))}
    </ul>
  );
}

function Row({ session }: { session: PageSession }) {
  const { name, hosts, version, updated_at: updated, last_used_at: used, signed_in_at: signedIn } = session;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_2.25rem] items-start gap-x-4 gap-y-1 px-5 py-4 text-sm md:grid-cols-[minmax(0,3fr)_minmax(0,2fr)_minmax(0,2fr)_2.25rem] md:items-center">
      <div className="grid min-w-0 gap-1">
        <p className="truncate font-mono font-medium">{name}</p>
        <p className="truncate text-muted" title={hosts.join(", ")}>
          {hostsText(hosts)}
        </p>
        {session.sign_in_error && <p className="wrap-anywhere text-bad">Signing in again failed: {session.sign_in_error}.</p>}
      </div>
      <p className="text-muted max-md:order-1 max-md:col-span-2">
        {used === null ? (
          "Never used"
        ) : (
          <>
            Used <Ago time={used} />
          </>
        )}
      </p>
      <p className="text-muted max-md:order-1 max-md:col-span-2">
        {signedIn ? "Signed in" : `Version ${version}, saved`} <Ago time={signedIn ?? updated} />
      </p>
      <div className="max-md:row-start-1 max-md:col-start-2 md:justify-self-end">
        <Actions session={session} />
      </div>
    </li>
  );
}

/** A leading dot stands for subdomains as well. */
function hostsText(hosts: string[]): string {
  const shown = hosts.slice(0, 2).map((host) => (host.startsWith(".") ? `*${host}` : host));
  return hosts.length > 2 ? `${shown.join(", ")} and ${counted(hosts.length - 2, "other")}` : shown.join(", ");
}

function Actions({ session }: { session: PageSession }) {
  const { name } = session;
  const [doing, setDoing] = useState<"sign-in" | "replace" | "delete">();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => call(`/v1/account/page-sessions/${name}`, { method: "DELETE" }),
    onSuccess: () => {
      setDoing(undefined);
      announce("Session deleted");
      return refresh(queries, "page-sessions");
    },
  });
  return (
    <>
      <ActionMenu
        name={name}
        actions={[
          ...(session.signs_in ? [{ label: "Sign in again", icon: "play", run: () => setDoing("sign-in") } as const] : []),
          { label: "Replace", icon: "rotate", run: () => setDoing("replace") },
          { label: "Delete", icon: "remove", isDangerous: true, run: () => setDoing("delete") },
        ]}
      />
      {doing === "sign-in" && <SignInAgain name={name} onClose={() => setDoing(undefined)} />}
      {doing === "replace" && <SaveSession replaced={session} onClose={() => setDoing(undefined)} />}
      {doing === "delete" && (
        <Confirm
          title={`Delete “${name}”?`}
          action="Delete"
          pending={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setDoing(undefined)}
        >
          <p>Its cookies and storage are deleted immediately. Captures and watches that use it fail until a session has this name again.</p>
        </Confirm>
      )}
    </>
  );
}
