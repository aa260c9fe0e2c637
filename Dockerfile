# The image of the API: Node, Chromium's headless shell and fonts on Debian; no package manager of Node, no compiler, no root.

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

# The filter lists, compiled; what they are made from stays behind.
FROM dependencies AS blocklists
COPY scripts ./scripts
RUN npm_execpath=/usr/local/lib/node_modules/npm/bin/npm-cli.js node scripts/blocklists.ts

# What Node makes of the code before it runs it, so that no start has to. Kept by Node's version, the path and the user's id.
FROM dependencies AS compiled
COPY scripts ./scripts
COPY src ./src
RUN install --directory --owner=1000 --group=1000 .cache
USER 1000:1000
RUN node scripts/compile.ts
# Read-only for the service: code written here would run at the next start. Node creates the files readable by their owner alone.
USER root
RUN chown -R root:root .cache && chmod -R u=rwX,go=rX .cache

FROM debian:bookworm-slim

# Without fontconfig's cache every start of a browser reads some 300 font files again. The cache is bound to the time of each
# folder, and layers keep whole seconds only: hence the touch.
# Nothing here needs setuid or setgid: Chromium's sandbox is made of user namespaces.
RUN apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
    chromium-headless-shell \
    fontconfig \
    fonts-liberation2 \
    fonts-noto-cjk \
    fonts-noto-color-emoji \
    fonts-noto-core \
    tini \
  && rm -rf /var/lib/apt/lists/* \
  && find /usr/share/fonts /usr/local/share/fonts -type d -exec touch --date=@1000000000 {} + \
  && fc-cache --force --system-only \
  && groupadd --gid 1000 tintype \
  && useradd --uid 1000 --gid 1000 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin tintype \
  && find / -xdev -type f -perm /6000 -exec chmod a-s {} +

COPY --from=dependencies /usr/local/bin/node /usr/local/bin/node
# Ends the build when this Node needs a library that the base lacks.
RUN ["node", "--version"]

WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ./
COPY NOTICE ./
COPY migrations ./migrations
COPY --from=blocklists /app/blocklists ./blocklists
COPY src ./src
COPY --from=compiled /app/.cache ./.cache

# /tmp is all that the service writes to (browser profiles): with a tmpfs there the root may be read-only.
ENV NODE_ENV=production \
  HOME=/tmp \
  TMPDIR=/tmp \
  PUPPETEER_EXECUTABLE_PATH=/usr/lib/chromium/chromium-headless-shell

USER 1000:1000
EXPOSE 3000

HEALTHCHECK --interval=10s --timeout=5s --start-period=2m --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/health/live', { signal: AbortSignal.timeout(4000) }).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# Chromium's children outlive their parents for a moment, and Node as first process would never collect them. -s: also when
# the runtime brings an init of its own.
ENTRYPOINT ["/usr/bin/tini", "-s", "--"]
CMD ["node", "src/server.ts"]
