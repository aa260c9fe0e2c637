/** The user's settings: name, password, sessions, deletion of the account. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { accountQuery } from "../api/queries.ts";
import { Page } from "../ui/page.tsx";
import { DeleteAccount } from "./delete-account.tsx";
import { Password } from "./password.tsx";
import { Profile } from "./profile.tsx";
import { Sessions } from "./sessions.tsx";

export function SettingsPage() {
  const { user } = useSuspenseQuery(accountQuery).data;
  return (
    <Page title="Settings">
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Profile user={user} />
        {user.has_password && <Password />}
        <Sessions />
        <DeleteAccount user={user} />
      </div>
    </Page>
  );
}
