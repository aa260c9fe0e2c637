/** The layout of the sign-in and sign-up pages. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { methodsQuery } from "../api/queries.ts";
import { Brand } from "../shell/brand.tsx";
import { Notice } from "../ui/notice.tsx";
import { ProviderButton } from "./provider-button.tsx";

const failures: Record<string, string> = {
  access_denied: "The sign-in was canceled.",
  account_not_linked: "An account with this e-mail address already exists: sign in with its password.",
  account_disabled: "This account is disabled. Contact the administrator.",
  sign_up_refused: "You have no account here yet. Ask an administrator of this service for an invitation link.",
  invitation_invalid: "The invitation has been used or revoked, has expired, or is for another e-mail address. Ask for a new one.",
};

interface SignedOutPageProps {
  title: string;
  /** Link to the alternative. */
  other: { question: string; label: string; page: "/sign-in" | "/sign-up" | "/forgot-password" };
  /** Invitation token, for sign-up through an identity provider. */
  invitation?: string | undefined;
  /** Whether sign-up is refused, which hides the identity providers. */
  isRefused?: boolean;
  children: ReactNode;
}

export function SignedOutPage({ title, other, invitation, isRefused = false, children }: SignedOutPageProps) {
  const { data } = useSuspenseQuery(methodsQuery);
  const providers = isRefused ? [] : data.providers;
  const { error, to } = useSearch({ from: "/signed-out" });
  return (
    <main className="mx-auto grid min-h-dvh w-full max-w-md content-center gap-8 px-4 py-10">
      <title>{`${title} · Tintype`}</title>
      <Brand />
      <div className="grid gap-6 rounded-2xl border border-line bg-surface p-6 sm:p-8">
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {error && <Notice tone="bad">{failures[error] ?? "The sign-in failed. Try again, or sign in another way."}</Notice>}
        {providers.map((provider) => (
          <ProviderButton key={provider.id} name={provider.name} returnTo={to ?? "/"} invitation={invitation} />
        ))}
        {providers.length > 0 && (
          <p className="flex items-center gap-4 text-sm text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
            or
          </p>
        )}
        {children}
      </div>
      <p className="text-center text-muted">
        {other.question}{" "}
        <Link to={other.page} search={{ to }} className="font-medium text-accent underline underline-offset-4">
          {other.label}
        </Link>
      </p>
    </main>
  );
}
