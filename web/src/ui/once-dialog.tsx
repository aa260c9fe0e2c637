/** A dialog with a key, a link or codes that are shown only once. */

import { type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import { OnCopied } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";

interface OnceDialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** Until something was copied, by a button or from the text, only Done closes it. */
export function OnceDialog({ title, onClose, children }: OnceDialogProps) {
  const [isCopied, setCopied] = useState(false);
  const copied = () => setCopied(true);
  return (
    <Dialog title={title} onClose={onClose} firm held={!isCopied}>
      <OnCopied value={copied}>
        <div onCopy={copied} className="contents">
          {children}
        </div>
      </OnCopied>
      <div className="flex justify-end">
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
