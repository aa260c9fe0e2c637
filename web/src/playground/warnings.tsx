/** The warnings in a response. */

import { Notice } from "../ui/notice.tsx";
import { Prose } from "../ui/prose.tsx";

export function Warnings({ warnings }: { warnings: string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Notice tone="warn">
      <ul className="grid gap-1">
        {warnings.map((warning) => (
          <li key={warning}>
            <Prose text={warning} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}
