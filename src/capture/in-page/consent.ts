/** Connects the consent engine to the capture. Runs in the engine's isolated world, so it may use nothing from outside of itself. */

/** Runs before the engine: queues its messages until they are read. */
export function prelude(): void {
  const world = globalThis as unknown as Record<string, unknown>;
  let news: { progress: string; evals: { id: string; code: string }[] } = { progress: "loading", evals: [] };
  let tell: (() => void) | undefined;
  let told = "";
  const isNews = () => news.evals.length > 0 || news.progress !== told;
  world.autoconsentSendMessage = async (message: { type: string; id: string; code: string; state: { lifecycle: string } }) => {
    if (message.type === "report") news.progress = message.state.lifecycle;
    if (message.type === "eval") news.evals.push({ id: message.id, code: message.code });
    if (isNews()) tell?.();
  };
  world.nextNews = async () => {
    if (!isNews()) await new Promise<void>((resolve) => (tell = resolve));
    const given = news;
    told = news.progress;
    news = { progress: news.progress, evals: [] };
    return given;
  };
  // The page is ready: the engine need not wait for idle time.
  world.requestIdleCallback = undefined;
}

/** Runs after the engine, and starts it. */
export function begin(rules: unknown): void {
  const { autoconsentReceiveMessage } = globalThis as unknown as { autoconsentReceiveMessage: (message: unknown) => void };
  autoconsentReceiveMessage({
    type: "initResp",
    rules: { autoconsent: [], compact: rules },
    config: {
      enabled: true,
      autoAction: "optOut",
      disabledCmps: [],
      enablePrehide: false,
      enableCosmeticRules: true,
      detectRetries: 0,
      isMainWorld: false,
      logs: { errors: false },
    },
  });
}
