/** The sign-up page: the form, or how to get access. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { invitationQuery, methodsQuery } from "../api/queries.ts";
import { Notice } from "../ui/notice.tsx";
import { SignUpForm } from "./sign-up-form.tsx";
import { SignedOutPage } from "./signed-out-page.tsx";

const other = { question: "Already have an account?", label: "Sign in", page: "/sign-in" } as const;

export function SignUpPage() {
  const { invitation } = useSearch({ from: "/signed-out/sign-up" });
  const { mode, domains } = useSuspenseQuery(methodsQuery).data.sign_up;
  if (invitation !== undefined) return <Invited invitation={invitation} />;
  if (mode === "closed")
    return (
      <Refused title="Sign-up is closed">
        <p>Ask the operator of this service to create your account on its command line.</p>
      </Refused>
    );
  if (mode === "invite" && domains.length === 0)
    return (
      <Refused title="Sign-up is by invitation">
        <p>Ask an administrator of this service for an invitation link, and open it in this browser.</p>
        <p className="text-sm">
          Setting up this service? The link for the first account is in the log of the API, or use its command line.
        </p>
      </Refused>
    );
  return (
    <SignedOutPage title="Create an account" other={other}>
      {mode === "invite" && (
        <p className="text-sm text-muted">
          With an e-mail address at {domains.join(" or ")}. For others, sign-up is by invitation: ask an administrator of this service.
        </p>
      )}
      <SignUpForm />
    </SignedOutPage>
  );
}

function Refused({ title, children }: { title: string; children: ReactNode }) {
  return (
    <SignedOutPage title={title} other={other} isRefused>
      <div className="grid gap-3 text-muted">{children}</div>
    </SignedOutPage>
  );
}

function Invited({ invitation }: { invitation: string }) {
  const valid = useSuspenseQuery(invitationQuery(invitation)).data;
  if (!valid)
    return (
      <SignedOutPage title="Create an account" other={other} isRefused>
        <Notice tone="bad">This invitation is no longer valid: it was used or revoked, or has expired. Ask for a new one.</Notice>
      </SignedOutPage>
    );
  return (
    <SignedOutPage title="Create an account" other={other} invitation={invitation}>
      <p className="text-sm text-muted">
        {valid.is_first ? "The first account is an administrator's." : "You have been invited."}
        {valid.plan && ` Your account will be on the ${valid.plan} plan.`}
      </p>
      <SignUpForm invitation={invitation} email={valid.email ?? undefined} />
    </SignedOutPage>
  );
}
