/** Recovery codes, which are shown only once. */

import { CopyButton } from "../ui/copy.tsx";
import { Notice } from "../ui/notice.tsx";

export function RecoveryCodes({ codes }: { codes: string[] }) {
  return (
    <div className="grid gap-4">
      <Notice tone="warn">
        Keep these recovery codes somewhere safe: each lets you in once if you lose your app. They can't be shown again.
      </Notice>
      <ul data-recovery-codes className="grid grid-cols-2 gap-x-6 gap-y-1 rounded-lg border border-line bg-sunken p-4 font-mono text-sm">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div>
        <CopyButton text={codes.join("\n")} what="the recovery codes" />
      </div>
    </div>
  );
}
