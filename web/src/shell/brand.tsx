/** The product's name and logo. */

export function Brand() {
  return (
    <span className="inline-flex items-center gap-2.5 text-lg font-semibold tracking-tight">
      <svg viewBox="0 0 24 24" className="size-6" aria-hidden="true">
        <rect x="3" y="1" width="18" height="22" rx="3" className="fill-ink" />
        <ellipse cx="12" cy="12" rx="6" ry="7.75" className="fill-paper" />
        <circle cx="12" cy="10" r="2.6" className="fill-ink" />
        <path d="M7.2 16.6a5.6 5.6 0 0 1 9.6 0A6.9 6.9 0 0 1 12 19.75a6.9 6.9 0 0 1-4.8-3.15z" className="fill-ink" />
      </svg>
      Tintype
    </span>
  );
}
