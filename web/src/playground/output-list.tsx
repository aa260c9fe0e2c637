/** The outputs of one load of the page: first the form's own, then those that were added. */

import { useRef } from "react";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { OutputFields } from "./output-fields.tsx";
import { type Output, outputsMax, withAnother } from "./outputs.ts";
import type { OptionGroup } from "./parameters.ts";

interface OutputListProps {
  groups: OptionGroup[];
  outputs: Output[];
  onChange: (outputs: Output[]) => void;
}

export function OutputList({ groups, outputs, onChange }: OutputListProps) {
  const add = useRef<HTMLButtonElement>(null);
  const several = outputs.length > 1;
  return (
    <section aria-label="Outputs" className="grid gap-4 border-t border-line pt-4">
      <div>
        <h2 className="font-medium">Outputs</h2>
        <p className="mt-1 text-sm text-muted">
          {several
            ? "Captured from a single load of the page where possible; together they count as one screenshot."
            : "One, with the options above. Add outputs for other window sizes, parts or formats of the same page."}
        </p>
      </div>
      {several && (
        <ol className="grid gap-4">
          {outputs.map((output, index) => (
            <li key={output.key}>
              <OutputFields
                groups={groups}
                output={output}
                index={index}
                onChange={(changed) => onChange(outputs.map((one) => (one === output ? changed : one)))}
                onRemove={() => {
                  add.current?.focus();
                  onChange(outputs.filter((one) => one !== output));
                }}
              />
            </li>
          ))}
        </ol>
      )}
      <div>
        <Button ref={add} disabled={outputs.length >= outputsMax} onClick={() => onChange(withAnother(outputs))}>
          <Icon name="plus" />
          Add an output
        </Button>
      </div>
    </section>
  );
}
