/** Pages that flood the service while they are captured. */

export interface Flood {
  name: string;
  /** Runs in the page. */
  script: (helpers: Helpers) => void;
  parameters?: Record<string, string>;
}

interface Helpers {
  /** Returns a unique word. */
  fresh: () => string;
  /** Calls `work` `times` times in each turn of the page's event loop. */
  flood: (times: number, work: (index: number) => unknown) => void;
}

/** HTML of the flood page. */
export function pageOf({ script }: Flood): string {
  return `<!doctype html><body><script>(${script})((${makeHelpers})())</script>`;
}

function makeHelpers(): Helpers {
  let count = 0;
  return {
    fresh: () => {
      count += 1;
      return `n${count}`;
    },
    flood: (times, work) => {
      setInterval(() => {
        for (let index = 0; index < times; index += 1) Promise.resolve(work(index)).catch(() => {});
      }, 0);
    },
  };
}

/** Floods that were used to develop the limits. */
const known: Flood[] = [
  { name: "fetch: names that don't resolve", script: ({ flood, fresh }) => flood(200, () => fetch(`http://${fresh()}.invalid/`)) },
  { name: "fetch: a refused address", script: ({ flood, fresh }) => flood(200, () => fetch(`http://10.0.0.1:8080/${fresh()}`)) },
  { name: "fetch: own site, new URLs", script: ({ flood, fresh }) => flood(200, () => fetch(`/data?${fresh()}`)) },
  {
    name: "fetch: bodies of 60 kB",
    script: ({ flood, fresh }) => flood(50, () => fetch(`/data?${fresh()}`, { method: "POST", body: fresh().padEnd(60_000) })),
  },
  {
    name: "images: 5,000 concurrently, with ad blocking",
    script: ({ flood, fresh }) => {
      for (let index = 0; index < 5_000; index += 1) new Image().src = `http://ads-${index % 50}.invalid/banner/${fresh()}.gif`;
      flood(50, () => {
        new Image().src = `/pixel?${fresh()}`;
      });
    },
    parameters: { block_ads: "true", block_trackers: "true" },
  },
  { name: "console", script: ({ flood }) => flood(5_000, () => console.log("x".repeat(1_000))) },
  {
    name: "history.pushState, long addresses",
    script: ({ flood, fresh }) => flood(1_000, () => history.pushState(0, "", `?${fresh().padEnd(50_000, "x")}`)),
  },
  { name: "iframes", script: ({ flood }) => flood(20, () => document.body.append(document.createElement("iframe"))) },
  { name: "dialogs", script: ({ flood, fresh }) => flood(1_000, () => alert(fresh())) },
];

/** Chosen at the same time, but not run until the limits were complete. */
const heldOut: Flood[] = [
  { name: "WebSockets to refused ports", script: ({ flood, fresh }) => flood(100, () => new WebSocket(`ws://127.0.0.1:25/${fresh()}`)) },
  {
    name: "sendBeacon to names that don't resolve",
    script: ({ flood, fresh }) => flood(200, () => navigator.sendBeacon(`http://${fresh()}.invalid/`, "x")),
  },
  {
    name: "workers that fetch",
    script: () => {
      const code = () =>
        setInterval(() => {
          for (let index = 0; index < 50; index += 1) fetch(`http://n${String(Math.random()).slice(2)}.invalid/`).catch(() => {});
        }, 0);
      for (let index = 0; index < 8; index += 1) new Worker(URL.createObjectURL(new Blob([`(${code})()`])));
    },
  },
  { name: "endless redirects", script: ({ flood, fresh }) => flood(100, () => fetch(`/redirect?${fresh()}`)) },
  {
    name: "frames that load refused pages again and again",
    script: ({ fresh }) => {
      for (let index = 0; index < 30; index += 1) {
        const frame = document.body.appendChild(document.createElement("iframe"));
        setInterval(() => {
          frame.src = `http://10.0.0.1/${fresh()}`;
        }, 1);
      }
    },
  },
  { name: "EventSources", script: ({ flood, fresh }) => flood(50, () => new EventSource(`http://${fresh()}.invalid/`)) },
  {
    name: "preconnect, preload and style sheets",
    script: ({ flood, fresh }) =>
      flood(100, (index) => {
        const link = document.createElement("link");
        link.rel = ["preconnect", "preload", "stylesheet"][index % 3] ?? "";
        link.as = "style";
        link.href = `http://${fresh()}.invalid/`;
        document.head.append(link);
      }),
  },
  {
    name: "fetches that are canceled immediately",
    script: ({ flood, fresh }) =>
      flood(200, () => {
        const canceled = new AbortController();
        const fetched = fetch(`/data?${fresh()}`, { signal: canceled.signal });
        canceled.abort();
        return fetched;
      }),
  },
  {
    name: "URLs of a megabyte",
    script: ({ flood, fresh }) => flood(5, () => fetch(`/data?${fresh().padEnd(1_000_000, "x")}`)),
  },
  {
    name: "preflights",
    script: ({ flood, fresh }) =>
      flood(100, () => fetch(`http://localhost:${location.port}/data?${fresh()}`, { headers: { "x-flood": "1" } })),
  },
  {
    name: "document.open and document.write in frames",
    script: ({ flood, fresh }) => {
      for (let index = 0; index < 10; index += 1) document.body.append(document.createElement("iframe"));
      flood(20, (index) => {
        const inner = frames[index % 10]?.document;
        inner?.open();
        inner?.write(`<p>${fresh()}`);
        inner?.close();
      });
    },
  },
  {
    name: "downloads",
    script: ({ flood, fresh }) =>
      flood(50, () => {
        const link = document.createElement("a");
        link.download = "x";
        link.href = `data:text/plain,${fresh()}`;
        link.click();
      }),
  },
  { name: "popups", script: ({ flood, fresh }) => flood(100, () => open(`/?${fresh()}`)) },
  {
    name: "20,000 images in flight",
    script: ({ fresh }) => {
      for (let index = 0; index < 20_000; index += 1) document.body.appendChild(new Image()).src = `/never?${fresh()}`;
    },
  },
  {
    name: "frames with 3,000 images in flight each",
    script: ({ fresh }) => {
      for (let frames = 0; frames < 5; frames += 1) {
        const inner = document.body.appendChild(document.createElement("iframe")).contentDocument;
        for (let index = 0; index < 3_000; index += 1) inner?.body.appendChild(new Image()).setAttribute("src", `/never?${fresh()}`);
      }
    },
  },
];

export const floods: Flood[] = [...known, ...heldOut];
