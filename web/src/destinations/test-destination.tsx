/** Tests a destination: writes an object, and deletes it. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import { refresh } from "../api/refresh.ts";
import type { DestinationTest } from "../api/types.ts";
import { Dialog, DialogButtons } from "../ui/dialog.tsx";
import { Notice } from "../ui/notice.tsx";

export function TestDestination({ name, onClose }: { name: string; onClose: () => void }) {
  const queries = useQueryClient();
  const test = useMutation({
    mutationFn: () => call<DestinationTest>(`/v1/account/destinations/${name}/test`, { method: "POST" }),
    onSettled: () => refresh(queries, "destinations"), // its outcome is recorded
  });
  const { data: result } = test;
  return (
    <Dialog title={`Test “${name}”`} onClose={onClose}>
      {test.error && <Notice tone="bad">{test.error.message}</Notice>}
      {result && !result.works && <Notice tone="bad">{result.problem}</Notice>}
      {result?.works && (
        <Notice tone={result.problem === null ? "good" : "warn"}>{result.problem ?? "It works: an object was written and deleted."}</Notice>
      )}
      <p className="text-sm wrap-anywhere">
        {result ? (
          <>
            The object: <code className="font-mono text-[0.8125rem]">{result.key}</code>
          </>
        ) : (
          "This writes an object of one line with the template's key, and deletes it."
        )}
      </p>
      <DialogButtons action={result ? "Test again" : "Test"} pending={test.isPending} onAction={() => test.mutate()} onClose={onClose} />
    </Dialog>
  );
}
