/** The devices on which the user is signed in, with buttons to sign them out. */

import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { sessionsQuery } from "../api/queries.ts";
import type { Session } from "../api/types.ts";
import { announce } from "../shell/announcer.tsx";
import { Ago } from "../ui/ago.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Section } from "../ui/page.tsx";
import { deviceOf } from "./device.ts";

export function Sessions() {
  const sessions = useSuspenseQuery(sessionsQuery).data;
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: (path: string) => call(path, { method: "DELETE" }),
    onSuccess: () => announce("Signed out"),
    onError: ({ message }) => announce(message),
    onSettled: () => queries.invalidateQueries({ queryKey: ["sessions"] }),
  });
  const others = sessions.filter(({ current }) => !current);
  return (
    <Section title="Signed-in devices">
      <ul className="grid divide-y divide-line">
        {sessions.map((session) => (
          <li key={session.id} className="flex items-center justify-between gap-4 py-3 first:pt-0">
            <SessionDetails session={session} />
            {session.current ? (
              <Badge tone="good">This device</Badge>
            ) : (
              <Button
                pending={end.isPending}
                onClick={() => end.mutate(`/v1/account/sessions/${session.id}`)}
                aria-label={`Sign out ${deviceOf(session.user_agent)}`}
              >
                Sign out
              </Button>
            )}
          </li>
        ))}
      </ul>
      {others.length > 1 && (
        <Button className="mt-4" pending={end.isPending} onClick={() => end.mutate("/v1/account/sessions")}>
          Sign out everywhere else
        </Button>
      )}
    </Section>
  );
}

function SessionDetails({ session: { user_agent, ip_address, last_seen_at } }: { session: Session }) {
  return (
    <div className="min-w-0">
      <p className="font-medium">{deviceOf(user_agent)}</p>
      <p className="text-sm text-muted">
        {ip_address ? `${ip_address}, ` : ""}
        <Ago time={last_seen_at} />
      </p>
    </div>
  );
}
