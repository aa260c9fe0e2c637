/** One way for a page to reach the network: its name and its page. */

/** Where a way is tried. Each way has its own secret, so a connection identifies the way. */
export interface Spot {
  /** `127.0.0.1:port` of the secret. */
  authority: string;
  port: number;
  /** `http://127.0.0.1:port/` of the secret. */
  secret: string;
  /** Unique to the way. An mDNS query for a name that starts with it also counts as reaching the secret. */
  label: string;
  /** The way's folder on the outer server, which pages may reach: `http://127.0.0.1:port/label/`. */
  outer: string;
  /** The same folder under a host name, on the secret's port: a site whose DNS an attacker controls. */
  named(host: string): string;
}

/** A file in the way's folder. A string is a response with status 200, typed by the file's extension. */
export type File = string | { status?: number; headers?: Record<string, string>; body?: string };

export interface Way {
  name: string;
  /** Files in the way's folder, by name; the empty name is the page. */
  files?: (spot: Spot) => Record<string, File>;
  /** The URL to open. Default: the page in the outer folder. */
  start?: (spot: Spot) => string;
  /** Script run in the page as a user gesture. */
  gesture?: string;
  /** Uses host names, which a proxy that allows everything resolves for the unfiltered browser. */
  usesNames?: true;
}

const head = "<!doctype html><meta charset=utf-8><title>a way</title><body>";

/** A way that consists of a page's markup. */
export function markup(name: string, body: (spot: Spot) => string): Way {
  return { name, files: (spot) => ({ "": head + body(spot) }) };
}

/** A way that consists of a style sheet; `.a` is an element with a box, text and a list. */
export function style(name: string, css: (spot: Spot) => string): Way {
  return markup(name, (spot) => `<style>${css(spot)}</style><div class=a style="width:9px;height:9px">text<ul><li>item</ul></div>`);
}

/** A way that consists of a script, with further files if needed. */
export function script(name: string, code: (spot: Spot) => string, files?: (spot: Spot) => Record<string, File>): Way {
  return { name, files: (spot) => ({ "": `${head}<script>${code(spot)}</script>`, ...files?.(spot) }) };
}

/** A way that starts with a click: `code` is the body of the click handler. */
export function click(name: string, code: (spot: Spot) => string): Way {
  return { ...script(name, (spot) => `function clicked() {${code(spot)}}`), gesture: "clicked()" };
}

/** A page whose file `hop` redirects to the secret, which gets past a check of only the first URL. */
export function redirected(name: string, body: (spot: Spot) => string, status = 302): Way {
  return { name, files: (spot) => ({ "": head + body(spot), hop: redirect(spot, status) }) };
}

export function redirect({ secret }: Spot, status = 302): File {
  return { status, headers: { location: secret, "access-control-allow-origin": "*" } };
}
