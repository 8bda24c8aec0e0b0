# The standalone gateway. Build: docker build --tag switchboard .
# Run with a read-only root: docker run --init --read-only --tmpfs /tmp --volume data:/data … (compose.yaml has everything).

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /build
COPY . .
RUN npm ci && npm run package:command && npm install --global --prefix /out ./dist/packages/switchboard-*.tgz

FROM node:24.21.0-bookworm-slim
COPY --from=build /out/lib/node_modules/switchboard /opt/switchboard
RUN ln -s /opt/switchboard/dist/sidecar/main.mjs /usr/local/bin/switchboard \
  && install -d -o node -g node -m 0700 /data
# The user "node" of the base image, as a number, so that Kubernetes can check that it is not root.
USER 1000:1000
# Packages of stdio servers are cached here. Nothing else is written outside of /data and /tmp.
ENV HOME=/data NODE_ENV=production
VOLUME /data
EXPOSE 4000
# If listen.tls is set, override this check with the gateway's https address.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4000/readyz').then((it) => process.exit(it.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["switchboard"]
CMD ["gateway", "--config", "/etc/switchboard/switchboard.jsonc", "--data-dir", "/data"]
