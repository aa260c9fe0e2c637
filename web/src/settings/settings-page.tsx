/** The user's settings: name, password, second factor, passkeys, signed-in devices, deletion of the account. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { accountQuery, methodsQuery } from "../api/queries.ts";
import { Page } from "../ui/page.tsx";
import { Activity } from "./activity.tsx";
import { DeleteAccount } from "./delete-account.tsx";
import { Passkeys } from "./passkeys.tsx";
import { Password } from "./password.tsx";
import { Profile } from "./profile.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { Sessions } from "./sessions.tsx";

export function SettingsPage() {
  const { user, second_factor_required: isRequired } = useSuspenseQuery(accountQuery).data;
  const { passkeys } = useSuspenseQuery(methodsQuery).data;
  return (
    <Page title="Settings">
      <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
        {isRequired && <SecondFactor user={user} isRequired />}
        <Profile user={user} />
        {user.has_password && <Password />}
        {user.has_password && !isRequired && <SecondFactor user={user} isRequired={false} />}
        {passkeys && !isRequired && <Passkeys user={user} />}
        <Sessions />
        <Activity />
        <DeleteAccount user={user} />
      </div>
    </Page>
  );
}
