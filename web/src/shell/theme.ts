/**
 * Light, dark, or as set in the system. The root element's `data-theme` decides; the dashboard's server sets it from the cookie, so that
 * a page never appears in the wrong theme first.
 */

export type Theme = "system" | "light" | "dark";

const cookieSeconds = 365 * 24 * 3600;

export function currentTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === "light" || theme === "dark" ? theme : "system";
}

/** Applies the selected theme to a page embedded in this one. */
export function showTheme(page: Document | null): void {
  const theme = currentTheme();
  if (page) page.documentElement.dataset.theme = theme === "system" ? "" : theme;
}

export function setTheme(theme: Theme): void {
  const chosen = theme === "system" ? "" : theme;
  document.documentElement.dataset.theme = chosen;
  for (const frame of document.querySelectorAll("iframe")) showTheme(frame.contentDocument);
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs HTTPS, and not every installation has it
  document.cookie = `theme=${chosen}; path=/; max-age=${chosen ? cookieSeconds : 0}; samesite=lax`;
}
