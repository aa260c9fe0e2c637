/** Shows a new key once, with code snippets. */

import type { ReactNode } from "react";
import type { Key } from "../api/types.ts";
import { Snippets } from "../playground/snippets.tsx";
import { OnceDialog } from "../ui/once-dialog.tsx";
import { NewSecret } from "./new-secret.tsx";

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
    <OnceDialog title={title} onClose={onClose}>
      <NewSecret secret={secret} />
      {children}
      <Snippets apiKey={secret} websites={websites} options={{ url: "https://example.com" }} />
    </OnceDialog>
  );
}
