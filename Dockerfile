# The API's image: Node, Chromium's headless shell and fonts on Debian; no package manager for Node, no compiler, no root.

# For a build that can be repeated, pin both by digest: --build-arg DEBIAN_IMAGE=debian@sha256:…
ARG NODE_IMAGE=node:24-bookworm-slim
ARG DEBIAN_IMAGE=debian:bookworm-slim

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

# What the image contains, for scanners: npm's packages. Debian's are in dpkg's own database.
FROM dependencies AS sbom
COPY scripts/sbom.cjs ./scripts/
RUN npm pkg delete devDependencies && node scripts/sbom.cjs > sbom.cdx.json

# The compiled filter lists, without their sources.
FROM dependencies AS blocklists
COPY scripts ./scripts
RUN npm_execpath=/usr/local/lib/node_modules/npm/bin/npm-cli.js node scripts/blocklists.ts

# Node's compile cache, for a faster start. It depends on Node's version, the path and the user id.
FROM dependencies AS compiled
COPY scripts ./scripts
COPY src ./src
RUN install --directory --owner=1000 --group=1000 .cache
USER 1000:1000
RUN node scripts/compile.ts
# Read-only for the service: code written here would run at the next start. Node creates the files readable by their owner only.
USER root
RUN chown -R root:root .cache && chmod -R u=rwX,go=rX .cache

FROM ${DEBIAN_IMAGE}

# chromium-common depends on programs for a desktop, which bring Perl, Mesa and LLVM, 220 MB; the headless shell runs without them. An
# empty package stands in for them, so that dpkg's records stay right.
# Without fontconfig's cache, every browser start reads some 300 font files. The cache depends on the modification time of each folder, and
# image layers keep whole seconds only: hence the touch.
# Nothing here needs setuid or setgid: Chromium's sandbox uses user namespaces.
RUN mkdir -p /tmp/headless/DEBIAN \
  && printf '%s\n' 'Package: tintype-headless' 'Version: 1' 'Architecture: all' 'Maintainer: Tintype' 'Provides: x11-utils, xdg-utils' \
    'Description: stands in for desktop programs that the headless shell never runs' > /tmp/headless/DEBIAN/control \
  && dpkg-deb --build /tmp/headless /tmp/headless.deb \
  && dpkg --install /tmp/headless.deb \
  && apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
    chromium-headless-shell \
    fontconfig \
    fonts-liberation2 \
    fonts-noto-cjk \
    fonts-noto-color-emoji \
    fonts-noto-core \
    tini \
  && apt-get clean \
  && rm -rf /tmp/headless* /var/lib/apt/lists/* /var/cache/ldconfig/aux-cache /var/log/apt /var/log/*.log \
  && find /usr/share/fonts /usr/local/share/fonts -type d -exec touch --date=@1000000000 {} + \
  && fc-cache --force --system-only \
  && groupadd --gid 1000 tintype \
  && useradd --uid 1000 --gid 1000 --no-create-home --home-dir /tmp --shell /usr/sbin/nologin tintype \
  && find / -xdev -type f -perm /6000 -exec chmod a-s {} +

COPY --from=dependencies /usr/local/bin/node /usr/local/bin/node
# Fails the build if Node needs a library that the base image lacks.
RUN ["node", "--version"]

WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ./
COPY NOTICE ./
COPY --from=sbom /app/sbom.cdx.json ./
COPY migrations ./migrations
COPY --from=blocklists /app/blocklists ./blocklists
COPY src ./src
COPY --from=compiled /app/.cache ./.cache

# The service writes to /tmp only (browser profiles): with a tmpfs there, the root file system may be read-only.
ENV NODE_ENV=production \
  HOME=/tmp \
  TMPDIR=/tmp \
  PUPPETEER_EXECUTABLE_PATH=/usr/lib/chromium/chromium-headless-shell

ARG VERSION=1.0.0-rc.1
ARG REVISION=
LABEL org.opencontainers.image.title="Tintype" \
  org.opencontainers.image.description="Self-hosted website screenshots over HTTP: one GET, one image." \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"

USER 1000:1000
EXPOSE 3000

HEALTHCHECK --interval=10s --timeout=5s --start-period=2m --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/health/live', { signal: AbortSignal.timeout(4000) }).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# Chromium's child processes briefly outlive their parents, and Node as PID 1 would never reap them. -s: also if the runtime has its own init.
ENTRYPOINT ["/usr/bin/tini", "-s", "--"]
CMD ["node", "src/server.js"]
