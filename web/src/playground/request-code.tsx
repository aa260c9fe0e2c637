/** The playground's request as code, for one of the account's keys. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { keysQuery } from "../api/queries.ts";
import { SelectField } from "../ui/form/field.tsx";
import type { CapturesBody } from "./outputs.ts";
import type { Values } from "./parameters.ts";
import { Snippets } from "./snippets.tsx";

interface RequestCodeProps {
  options: Values;
  /** Request body; set if there are several outputs. */
  body?: CapturesBody | undefined;
}

export function RequestCode({ options, body }: RequestCodeProps) {
  const keys = useSuspenseQuery(keysQuery).data.filter(({ state }) => state === "active");
  const [chosen, choose] = useState<string>();
  const key = keys.find(({ id }) => id === chosen) ?? keys[0];
  const placeholder = key?.hint.replace("…", "..."); // dots are not encoded in a URL
  const signatureHint = body
    ? " This key accepts only signed requests, but requests for several outputs can't be signed."
    : " Requests with this key must be signed.";
  return (
    <div className="grid min-w-0 gap-4">
      {key ? (
        <SelectField
          label="Use key"
          name="snippet_key"
          value={key.id}
          onChange={(event) => choose(event.target.value)}
          hint={`Replace ${placeholder} with the whole key, which was shown only once, when it was created.${key.require_signature ? signatureHint : ""}`}
        >
          {keys.map(({ id, name, hint }) => (
            <option key={id} value={id}>
              {name} ({hint})
            </option>
          ))}
        </SelectField>
      ) : (
        <p className="text-sm text-muted">
          The code needs an API key.{" "}
          <Link to="/keys" className="font-medium text-accent underline underline-offset-4">
            Create key
          </Link>
        </p>
      )}
      <Snippets
        options={options}
        body={body}
        {...(key && placeholder ? { apiKey: placeholder, websites: key.allow_missing_origin ? [] : key.allowed_domains } : {})}
      />
    </div>
  );
}
