/** One way out of a page: what it is called and how its page is made. */

/** Where a way happens. Every way has a secret of its own, so that a connection tells which way led there. */
export interface Spot {
  /** `127.0.0.1:port` of the secret. */
  authority: string;
  port: number;
  /** `http://127.0.0.1:port/` of the secret. */
  secret: string;
  /** Of the way alone; who asks for a name that begins with it has reached the secret too. */
  label: string;
  /** The way's folder on the outer server, which pages may reach: `http://127.0.0.1:port/number/`. */
  outer: string;
  /** The same folder under a host name, on the secret's port: a site that its owner points wherever he likes. */
  named(host: string): string;
}

/** A file in the way's folder. Text alone is an answer with status 200, and of the type that its name's ending tells. */
export type File = string | { status?: number; headers?: Record<string, string>; body?: string };

export interface Way {
  name: string;
  /** The way's folder by file name; the one without a name is the page. */
  files?: (spot: Spot) => Record<string, File>;
  /** What is opened, unless it is the page in the outer folder. */
  start?: (spot: Spot) => string;
  /** Called in the page as if its user had clicked. */
  gesture?: string;
  /** Host names play a part, which without the wall are resolved by a lane that judges nothing. */
  usesNames?: true;
}

const head = "<!doctype html><meta charset=utf-8><title>a way</title><body>";

/** A way that is one page's markup. */
export function markup(name: string, body: (spot: Spot) => string): Way {
  return { name, files: (spot) => ({ "": head + body(spot) }) };
}

/** A way that is one page's style sheet; `class=a` is on an element that has a box, text and a list. */
export function style(name: string, css: (spot: Spot) => string): Way {
  return markup(name, (spot) => `<style>${css(spot)}</style><div class=a style="width:9px;height:9px">text<ul><li>item</ul></div>`);
}

/** A way that is one page's script, with other files if it needs them. */
export function script(name: string, code: (spot: Spot) => string, files?: (spot: Spot) => Record<string, File>): Way {
  return { name, files: (spot) => ({ "": `${head}<script>${code(spot)}</script>`, ...files?.(spot) }) };
}

/** A way that starts when the page is clicked: `code` is the body of the click's function. */
export function click(name: string, code: (spot: Spot) => string): Way {
  return { ...script(name, (spot) => `function clicked() {${code(spot)}}`), gesture: "clicked()" };
}

/** A page on the outer server whose file `hop` leads to the secret: whoever checks only the first address is passed. */
export function redirected(name: string, body: (spot: Spot) => string, status = 302): Way {
  return { name, files: (spot) => ({ "": head + body(spot), hop: redirect(spot, status) }) };
}

export function redirect({ secret }: Spot, status = 302): File {
  return { status, headers: { location: secret, "access-control-allow-origin": "*" } };
}
