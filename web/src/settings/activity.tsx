/** Link to the account's audit log. */

import { ButtonLink } from "../ui/button.tsx";
import { Section } from "../ui/page.tsx";

export function Activity() {
  return (
    <Section title="Activity">
      <p className="mb-4 text-sm text-muted">Who changed keys, plan, name and sign-in of this account, when, and from where.</p>
      <ButtonLink to="/settings/activity">Show activity</ButtonLink>
    </Section>
  );
}
