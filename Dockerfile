# One image for every verb: `docker run slotstream start`, `… receive`, `… work`.
# The image brings its own Node, so the one that npm can bring (node-linux-*) stays out.

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY README.md LICENSE CHANGELOG.md ./
COPY .ci ./.ci
COPY bin ./bin
COPY schemas ./schemas
COPY workers ./workers
COPY src ./src
# `--build-arg COMMIT=$(git rev-parse --short=9 HEAD)`: `slotstream --version` shows it.
ARG COMMIT=
RUN npm run package -- --no-pack
# What is in the bundle goes; what it loads stays, in the versions of the lock file.
RUN cp build/package.json . && npm prune && rm -rf node_modules/node-linux-* node_modules/.bin

FROM node:24-slim
ENV NODE_ENV=production \
    DATA_DIR=/data \
    ADMIN_HOST=0.0.0.0
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/build ./
# The only place that is written to; everything else may be mounted read-only.
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
# Every verb has the admin listener; a worker has no public one.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.ADMIN_PORT || 8081}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/app/bin/slotstream.js"]
CMD ["start"]
