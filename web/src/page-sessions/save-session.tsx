/** Saves a session: a state, or steps that sign in. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import type { PageSession } from "../api/types.ts";
import { announce } from "../shell/announcer.tsx";
import { Dialog, DialogButtons } from "../ui/dialog.tsx";
import { TextField } from "../ui/form/field.tsx";
import { Form, textOf } from "../ui/form/form.tsx";
import { Segmented } from "../ui/form/segmented.tsx";
import { secretNames, stateOf, stepsOf } from "./input.ts";
import { StateField } from "./state-field.tsx";
import { exampleSteps, StepsFields } from "./steps-fields.tsx";

type From = "state" | "steps";

const choices: { value: From; label: string }[] = [
  { value: "state", label: "From a browser" },
  { value: "steps", label: "Sign in by steps" },
];

/** @param replaced an existing session; absent: asks for a name. */
export function SaveSession({ replaced, onClose }: { replaced?: PageSession; onClose: () => void }) {
  const [from, setFrom] = useState<From>(replaced?.signs_in ? "steps" : "state");
  const [texts, setTexts] = useState({ state: "", steps: exampleSteps });
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: async (values: FormData) => {
      const content = from === "state" ? { state: readState(texts.state) } : readSteps(texts.steps, values);
      const body = { name: replaced?.name ?? textOf(values, "name"), ...content };
      return await call<PageSession>("/v1/account/page-sessions", { method: "POST", body });
    },
    onSuccess: async () => {
      announce(replaced ? "Session replaced" : "Session created");
      await refresh(queries, "page-sessions");
      onClose();
    },
    gcTime: 0, // what was entered is discarded with the dialog
  });
  const change = (name: From) => (text: string) => setTexts({ ...texts, [name]: text });
  return (
    <Dialog title={replaced ? `Replace “${replaced.name}”` : "Create session"} onClose={onClose} firm>
      <Form
        fields={["name", "state", "url", "steps", "sign_in_hosts"]}
        pending={save.isPending}
        error={save.error}
        onSubmit={(values) => save.mutate(values)}
      >
        {!replaced && (
          <TextField
            label="Name"
            name="name"
            autoComplete="off"
            spellCheck={false}
            maxLength={64}
            placeholder="shop"
            hint="Letters, digits, _ and -. Captures refer to it: session=shop. A session with this name is replaced."
            required
          />
        )}
        <Segmented label="Sign-in" hideLabel choices={choices} value={from} onChange={setFrom} />
        {from === "state" ? (
          <StateField text={texts.state} onText={change("state")} />
        ) : (
          <StepsFields text={texts.steps} onText={change("steps")} />
        )}
        <DialogButtons action={replaced ? "Replace session" : "Create session"} pending={save.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}

function readState(text: string): object {
  const state = stateOf(text);
  if (state === undefined) throw wrong("state", "is not JSON, as Playwright writes it");
  return state;
}

function readSteps(text: string, values: FormData): object {
  const steps = stepsOf(text);
  if (steps === undefined) throw wrong("steps", "is not a JSON array");
  const secrets = secretNames(text).map((name) => [name, textOf(values, `secret ${name}`)]);
  const hosts = textOf(values, "sign_in_hosts")
    .split(/[\s,]+/)
    .filter((host) => host !== "");
  return { url: textOf(values, "url"), steps, secrets: Object.fromEntries(secrets), ...(hosts.length > 0 && { sign_in_hosts: hosts }) };
}

function wrong(parameter: string, problem: string): ApiError {
  const message = `${parameter} ${problem}`;
  return new ApiError(message, { code: "invalid_parameters", details: [{ parameter, message }] });
}
