/** Shows a new key once, with code snippets. */

import type { ReactNode } from "react";
import type { Key } from "../api/types.ts";
import { Snippets } from "../playground/snippets.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Dialog, DoneButton } from "../ui/dialog.tsx";
import { Notice } from "../ui/notice.tsx";

interface SecretProps {
  title: string;
  apiKey: Key;
  secret: string;
  onClose: () => void;
  children?: ReactNode;
}

export function Secret({ title, apiKey, secret, onClose, children }: SecretProps) {
  const websites = apiKey.allow_missing_origin ? [] : apiKey.allowed_domains;
  return (
    <Dialog title={title} onClose={onClose} firm>
      <Notice tone="warn">Copy the key now: only a hash is stored, so it can't be shown again.</Notice>
      <div className="flex flex-wrap items-center gap-3">
        <code data-secret className="control min-w-0 flex-1 basis-72 font-mono text-sm break-all select-all">
          {secret}
        </code>
        <CopyButton text={secret} what="the key" />
      </div>
      {children}
      <Snippets apiKey={secret} websites={websites} options={{ url: "https://example.com" }} />
      <DoneButton onClose={onClose} />
    </Dialog>
  );
}
