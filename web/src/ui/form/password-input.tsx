/** A password field that can show what is typed. */

import { type InputHTMLAttributes, useState } from "react";
import { Icon } from "../icon.tsx";

export function PasswordInput(input: InputHTMLAttributes<HTMLInputElement>) {
  const [isShown, show] = useState(false);
  return (
    <div className="relative">
      <input {...input} type={isShown ? "text" : "password"} className="control pr-11" />
      <button
        type="button"
        aria-pressed={isShown}
        onClick={() => show(!isShown)}
        className="absolute inset-y-0 right-0 grid w-10 place-items-center rounded-lg text-muted -outline-offset-2 hover:text-ink"
      >
        <Icon name={isShown ? "hide" : "show"} />
        <span className="sr-only">Show password</span>
      </button>
    </div>
  );
}
