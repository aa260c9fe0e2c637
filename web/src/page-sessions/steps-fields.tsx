/** How a session signs in: a URL, steps, and the values that the steps refer to. */

import { AreaField, TextField } from "../ui/form/field.tsx";
import { secretNames } from "./input.ts";

export const exampleSteps = `[
  {"type": "#user", "text": {"secret": "user"}},
  {"type": "#password", "text": {"secret": "password"}},
  {"press": "Enter"}
]`;

export function StepsFields({ text, onText }: { text: string; onText: (text: string) => void }) {
  return (
    <>
      <TextField
        label="URL"
        name="url"
        type="url"
        inputMode="url"
        autoComplete="off"
        placeholder="https://example.com/login"
        hint="Of the sign-in page."
        required
      />
      <TextField
        label="Further hosts"
        name="sign_in_hosts"
        autoComplete="off"
        spellCheck={false}
        placeholder="accounts.example.org"
        hint="On which the steps may type, besides the address's site. Separated by spaces."
      />
      <AreaField
        label="Steps"
        name="steps"
        value={text}
        onChange={({ target }) => onText(target.value)}
        autoComplete="off"
        spellCheck={false}
        rows={6}
        className="font-mono text-[0.8125rem]"
        hint="As of the option steps. They are taken now, in a capture that counts as a screenshot, and again when the sign-in has ended."
        required
      />
      {secretNames(text).map((name) => (
        <TextField
          key={name}
          label={`Secret “${name}”`}
          name={`secret ${name}`}
          type="password"
          autoComplete="new-password"
          hint="Stored encrypted, and never shown again."
          required
        />
      ))}
    </>
  );
}
