# The single image, for trying Tintype and for small sites: the images of the API and of the dashboard, with PostgreSQL and Redis.
#
#   docker build --tag tintype . && docker build --tag tintype-web web
#   docker build --tag tintype-single --file docker/single.Dockerfile .

ARG API_IMAGE=tintype
ARG WEB_IMAGE=tintype-web

FROM ${WEB_IMAGE} AS web

FROM ${API_IMAGE}
USER root

# Without a cluster of Debian's: the data belongs to the volume. An empty package stands in for LLVM, which only PostgreSQL's compiler of
# queries would need, and for its locales: 150 MB. Nothing here needs setuid or setgid.
RUN mkdir -p /tmp/embedded/DEBIAN /etc/postgresql-common \
  && printf '%s\n' 'Package: tintype-embedded' 'Version: 1' 'Architecture: all' 'Maintainer: Tintype' 'Provides: libllvm14, locales' \
    'Description: stands in for what the embedded PostgreSQL never loads' > /tmp/embedded/DEBIAN/control \
  && dpkg-deb --build /tmp/embedded /tmp/embedded.deb \
  && dpkg --install /tmp/embedded.deb \
  && echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf \
  && apt-get update \
  && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends postgresql-15 redis-server \
  && apt-get clean \
  && rm -rf /tmp/embedded* /var/lib/apt/lists/* /var/cache/ldconfig/aux-cache /var/log/apt /var/log/*.log \
  && find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
  && install --directory --owner=1000 --group=1000 --mode=700 /data

COPY --from=web /web /web
COPY scripts ./scripts

ENV TINTYPE_DATA=/data \
  TINTYPE_WEB=/web

ARG VERSION=1.0.0-rc.1
ARG REVISION=
LABEL org.opencontainers.image.title="Tintype, single image" \
  org.opencontainers.image.description="Self-hosted website screenshots with an embedded PostgreSQL and Redis, for trying and for small sites." \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"

USER 1000:1000
VOLUME /data
EXPOSE 3000 3001

# One container at a time has the volume: process ids in it say nothing to another.
CMD ["sh", "-c", "exec 9> \"$TINTYPE_DATA/lock\"; flock --nonblock 9 || { echo 'Another container uses this volume: stop it first.' >&2; exit 1; }; exec node scripts/single.ts"]
