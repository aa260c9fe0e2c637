/** Shown in place of a form whose submission sent a mail. */

import { useEffect, useRef } from "react";

/** Says the same whether or not the address has an account, as the API does. Receives the focus, for screen readers. */
export function CheckMail({ email }: { email: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className="grid gap-3">
      <h2 ref={heading} tabIndex={-1} className="font-semibold">
        Check your mail
      </h2>
      <p className="wrap-anywhere text-muted">
        We sent a message to <span className="font-medium text-ink">{email}</span>. Open the link in it to continue; it works for an hour.
      </p>
      <p className="text-sm text-muted">Nothing after a few minutes? Look in your spam folder, or check the address and try again.</p>
    </div>
  );
}
