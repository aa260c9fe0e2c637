/** The user's name and e-mail address. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { accountQuery } from "../api/queries.ts";
import type { Account, User } from "../api/types.ts";
import { announce } from "../shell/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/form/field.tsx";
import { Form, textOf } from "../ui/form/form.tsx";
import { Section } from "../ui/page.tsx";
import { UnconfirmedAddress } from "./unconfirmed-address.tsx";

export function Profile({ user }: { user: User }) {
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: (name: string) => call<Account>("/v1/account", { method: "PATCH", body: { name } }),
    onSuccess: (account) => {
      queries.setQueryData(accountQuery.queryKey, account);
      announce("Name saved");
    },
  });
  return (
    <Section title="Profile">
      <Form fields={["name"]} pending={save.isPending} error={save.error} onSubmit={(values) => save.mutate(textOf(values, "name"))}>
        <TextField label="Name" name="name" defaultValue={user.name} autoComplete="name" maxLength={100} required />
        <TextField label="E-mail" name="email" type="email" value={user.email} readOnly hint="Used to sign in; can't be changed." />
        {!user.email_verified && <UnconfirmedAddress />}
        <Button type="submit" pending={save.isPending} className="justify-self-start">
          Save
        </Button>
      </Form>
    </Section>
  );
}
