/** Sends a test event to a URL, and opens its delivery. */

import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import { webhooksQuery } from "../api/webhook-queries.ts";
import { Dialog, DialogButtons } from "../ui/dialog.tsx";
import { TextField } from "../ui/form/field.tsx";
import { Form, textOf } from "../ui/form/form.tsx";

export function SendTest({ onClose }: { onClose: () => void }) {
  const { allow_http: allowsHttp } = useSuspenseQuery(webhooksQuery).data;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const send = useMutation({
    mutationFn: (url: string) => call<{ id: string }>("/v1/account/webhooks/test", { method: "POST", body: { url } }),
    onSuccess: async ({ id }) => {
      await refresh(queries, "webhooks");
      await navigate({ to: "/webhooks/$id", params: { id } });
    },
  });
  return (
    <Dialog title="Send a test event" onClose={onClose}>
      <Form fields={["url"]} pending={send.isPending} error={send.error} onSubmit={(values) => send.mutate(textOf(values, "url"))}>
        <TextField
          label="URL"
          name="url"
          type="url"
          inputMode="url"
          autoComplete="off"
          placeholder="https://example.com/webhooks"
          hint={`A public ${allowsHttp ? "http or https" : "https"} URL. It is sent once, signed like every webhook.`}
          required
        />
        <DialogButtons action="Send" pending={send.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
