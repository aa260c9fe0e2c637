/** Changes the password. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../api/client.ts";
import { announce } from "../shell/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Form, textOf } from "../ui/form/form.tsx";
import { CurrentPasswordField, NewPasswordField } from "../ui/form/password-fields.tsx";
import { Section } from "../ui/page.tsx";

export function Password() {
  const queries = useQueryClient();
  const [changes, setChanges] = useState(0);
  const change = useMutation({
    mutationFn: (body: { current_password: string; new_password: string }) => call("/v1/account/password", { method: "POST", body }),
    onSuccess: () => {
      announce("Password changed; all other devices have been signed out");
      setChanges(changes + 1);
      return queries.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
  return (
    <Section title="Password">
      <Form
        key={changes} // clears the fields
        fields={["current_password", "new_password"]}
        pending={change.isPending}
        error={change.error}
        onSubmit={(values) =>
          change.mutate({ current_password: textOf(values, "current_password"), new_password: textOf(values, "new_password") })
        }
      >
        <CurrentPasswordField />
        <NewPasswordField name="new_password" hint="Changing it signs out all other devices." />
        <Button type="submit" pending={change.isPending} className="justify-self-start">
          Change password
        </Button>
      </Form>
    </Section>
  );
}
