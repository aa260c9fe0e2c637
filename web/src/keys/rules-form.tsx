/** Edits a key's rules; concurrent edits are detected and resolved by the user. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, call } from "../api/client.ts";
import { keyQuery } from "../api/queries.ts";
import { refresh } from "../api/refresh.ts";
import type { Key } from "../api/types.ts";
import { announce } from "../shell/announcer.tsx";
import { Button } from "../ui/button.tsx";
import { Form } from "../ui/form/form.tsx";
import { Conflict } from "./conflict.tsx";
import { changes, type Draft, draftOf } from "./rules.ts";
import { RulesFields, ruleFields } from "./rules-fields.tsx";

export function RulesForm({ current }: { current: Key }) {
  /** The key that the draft is based on; its version is sent with the update. */
  const [base, setBase] = useState(current);
  const [draft, setDraft] = useState<Draft>(draftOf(current));
  const [theirs, setTheirs] = useState<Key>();
  const queries = useQueryClient();
  const startFrom = (key: Key) => {
    setBase(key);
    setDraft(draftOf(key));
    setTheirs(undefined);
  };
  const dirty = Object.keys(changes(base, draft)).length > 0;
  if (current.version > base.version && !dirty) startFrom(current);

  const save = useMutation({
    mutationFn: (version: number) =>
      call<{ key: Key }>(`/v1/account/keys/${base.id}`, { method: "PATCH", body: { version, ...changes(base, draft) } }),
    onSuccess: async ({ key }) => {
      startFrom(key);
      queries.setQueryData(keyQuery(key.id).queryKey, key);
      announce("Key saved");
      await refresh(queries, "keys");
    },
    onError: async (error) => {
      if (!(error instanceof ApiError && error.code === "changed_meanwhile")) return;
      setTheirs(await queries.fetchQuery({ ...keyQuery(base.id), staleTime: 0 }));
    },
  });
  return (
    <Form fields={ruleFields} pending={save.isPending} error={theirs ? null : save.error} onSubmit={() => save.mutate(base.version)}>
      <RulesFields draft={draft} onChange={setDraft} />
      {theirs && (
        <Conflict
          base={base}
          mine={draft}
          theirs={theirs}
          pending={save.isPending}
          onKeepMine={() => save.mutate(theirs.version)}
          onTakeTheirs={() => startFrom(theirs)}
        />
      )}
      <div className="flex flex-wrap gap-3">
        <Button type="submit" look="primary" pending={save.isPending} disabled={!dirty || theirs !== undefined}>
          Save
        </Button>
        {dirty && !theirs && <Button onClick={() => startFrom(current)}>Undo changes</Button>}
      </div>
    </Form>
  );
}
