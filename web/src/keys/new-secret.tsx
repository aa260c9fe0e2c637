/** A new key, which is shown only once. */

import { CopyField } from "../ui/copy.tsx";
import { Notice } from "../ui/notice.tsx";

export function NewSecret({ secret }: { secret: string }) {
  return (
    <>
      <Notice tone="warn">Copy the key now: only a hash is stored, so it can't be shown again.</Notice>
      <CopyField text={secret} what="the key" />
    </>
  );
}
