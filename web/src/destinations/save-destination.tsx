/** Saves a destination: a bucket, an access key for it, and the template of the copies' keys. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import type { Destination } from "../api/types.ts";
import { announce } from "../shell/announcer.tsx";
import { Dialog, DialogButtons } from "../ui/dialog.tsx";
import { CheckField, TextField } from "../ui/form/field.tsx";
import { Form, textOf } from "../ui/form/form.tsx";

const fields = ["name", "endpoint", "bucket", "region", "template", "access_key_id", "secret_access_key"];
const common = { autoComplete: "off", spellCheck: false } as const;

/** @param replaced an existing destination; absent: asks for a name. */
export function SaveDestination({ replaced, onClose }: { replaced?: Destination; onClose: () => void }) {
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: async (values: FormData) => {
      const texts = fields.map((name) => [name, textOf(values, name)]).filter(([, text]) => text !== "");
      const body = {
        ...(replaced ? { name: replaced.name } : {}),
        ...Object.fromEntries(texts),
        path_style: values.get("path_style") !== null,
      };
      return await call<Destination>("/v1/account/destinations", { method: "POST", body });
    },
    onSuccess: async () => {
      announce(replaced ? "Destination replaced" : "Destination added");
      await refresh(queries, "destinations");
      onClose();
    },
    gcTime: 0, // what was entered is discarded with the dialog
  });
  return (
    <Dialog title={replaced ? `Replace “${replaced.name}”` : "Add destination"} onClose={onClose} firm>
      <Form fields={fields} pending={save.isPending} error={save.error} onSubmit={(values) => save.mutate(values)}>
        {!replaced && (
          <TextField
            {...common}
            label="Name"
            name="name"
            maxLength={64}
            placeholder="archive"
            hint="Letters, digits, _ and -. Captures refer to it: destination=archive."
            required
          />
        )}
        <TextField
          {...common}
          label="Endpoint"
          name="endpoint"
          type="url"
          inputMode="url"
          defaultValue={replaced?.endpoint}
          placeholder="https://s3.eu-central-1.amazonaws.com"
          hint="Of any S3-compatible server."
          required
        />
        <TextField
          {...common}
          label="Bucket"
          name="bucket"
          maxLength={63}
          defaultValue={replaced?.bucket}
          placeholder="our-pages"
          required
        />
        <TextField
          {...common}
          label="Region"
          name="region"
          maxLength={40}
          defaultValue={replaced?.region}
          placeholder="us-east-1"
          hint="us-east-1 if it is empty. Some servers need auto."
        />
        <CheckField
          label="The bucket is in the path of requests"
          name="path_style"
          defaultChecked={replaced?.path_style ?? true}
          hint="Most servers accept that. Otherwise it is in the host name."
        />
        <TextField
          {...common}
          label="Key of each copy"
          name="template"
          maxLength={256}
          defaultValue={replaced?.template}
          placeholder="{host}/{date}/{name}.{ext}"
          hint="Fields: {host}, {date}, {time}, {label}, {id}, {name}, {ext}. With {name} or {id}, no copy replaces another."
        />
        <TextField {...common} label="Access key ID" name="access_key_id" maxLength={128} required />
        <TextField
          label="Secret access key"
          name="secret_access_key"
          type="password"
          autoComplete="new-password"
          maxLength={256}
          hint="Needs permission to put objects. It is stored encrypted, and never shown again."
          required
        />
        <DialogButtons action={replaced ? "Replace destination" : "Add destination"} pending={save.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
