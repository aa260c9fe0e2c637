/** Buttons, and links that look like them. */

import { Link, type LinkProps } from "@tanstack/react-router";
import type { ComponentProps, ReactNode } from "react";

type Look = "primary" | "plain" | "danger";

const looks: Record<Look, string> = {
  primary: "border-transparent bg-ink text-paper hover:bg-ink/85",
  plain: "border-edge bg-surface text-ink hover:bg-sunken",
  danger: "border-edge bg-surface text-bad hover:border-bad hover:bg-bad-soft",
};

const shape =
  "inline-flex min-h-10 items-center justify-center gap-2 rounded-lg border px-3 py-1.5 text-sm font-medium whitespace-nowrap disabled:opacity-60 sm:px-4";

/** For links that the router doesn't handle. */
export const buttonClass = `${shape} ${looks.plain}`;

/** While `pending`, it stays focusable and ignores clicks. */
export function Button({
  look = "plain",
  pending = false,
  type = "button",
  className = "",
  onClick,
  ...rest
}: ComponentProps<"button"> & { look?: Look; pending?: boolean }) {
  return (
    <button
      type={type}
      aria-disabled={pending || undefined}
      className={`${shape} ${looks[look]} ${pending ? "cursor-progress opacity-70" : ""} ${className}`}
      onClick={pending ? (event) => event.preventDefault() : onClick}
      {...rest}
    />
  );
}

export function ButtonLink({
  look = "plain",
  className = "",
  ...rest
}: LinkProps & { look?: Look; className?: string; children?: ReactNode }) {
  return <Link className={`${shape} ${looks[look]} ${className}`} {...rest} />;
}
