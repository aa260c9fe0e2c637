/** The authenticator app as the second factor for sign-ins with a password. */

import { useState } from "react";
import type { User } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { Section } from "../ui/page.tsx";
import { RemoveApp } from "./remove-app.tsx";
import { RenewRecoveryCodes } from "./renew-recovery-codes.tsx";
import { SetUpApp } from "./set-up-app.tsx";

export function SecondFactor({ user, isRequired }: { user: User; isRequired: boolean }) {
  const [open, setOpen] = useState<"set-up" | "codes" | "remove">();
  const close = () => setOpen(undefined);
  return (
    <Section title="Second factor" aside={user.second_factor && <Badge tone="good">On</Badge>}>
      <div className="grid gap-4">
        {isRequired && <Notice tone="warn">This service requires a second factor. Set one up to continue.</Notice>}
        <p className="text-muted">
          {user.second_factor
            ? "Signing in with your password also requires a code from your authenticator app, or a recovery code."
            : "An authenticator app on your phone, such as 1Password, Aegis or Google Authenticator, generates a code for each sign-in, so that a stolen password alone is useless."}
        </p>
        <div className="flex flex-wrap gap-3">
          {user.second_factor ? (
            <>
              <Button onClick={() => setOpen("codes")}>New recovery codes</Button>
              <Button onClick={() => setOpen("remove")}>Remove</Button>
            </>
          ) : (
            <Button look="primary" onClick={() => setOpen("set-up")}>
              Set up app
            </Button>
          )}
        </div>
      </div>
      {open === "set-up" && <SetUpApp onClose={close} />}
      {open === "codes" && <RenewRecoveryCodes onClose={close} />}
      {open === "remove" && <RemoveApp onClose={close} />}
    </Section>
  );
}
