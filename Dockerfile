# The service alone: the database is the one of DATABASE_URL, so the embedded PostgreSQL is left out. The image has what the package
# of `npm pack` has. `node scripts/image-steps.js` runs these steps without a container engine.
# Images are named by digest. After a look at the release notes of a newer one, `docker buildx imagetools inspect` prints its digest.

FROM node:24.19.0-bookworm-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df AS pack
WORKDIR /checkout
COPY . ./
RUN npm ci --ignore-scripts --no-audit --no-fund
RUN npm pack

FROM node:24.19.0-bookworm-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df AS install
WORKDIR /app
COPY --from=pack /checkout/mintmark-*.tgz ./mintmark.tgz
RUN npm install --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund ./mintmark.tgz

FROM node:24.19.0-bookworm-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df
LABEL org.opencontainers.image.title="Mintmark"
LABEL org.opencontainers.image.description="Mints and registers persistent identifiers for repositories."
LABEL org.opencontainers.image.licenses="Apache-2.0"
LABEL org.opencontainers.image.version="0.1.0-beta.1"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 ACCESS=keys
WORKDIR /app
COPY --from=install /app/node_modules ./node_modules
# The account that the image brings. The files belong to root, so the service cannot change itself.
USER node
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --start-interval=2s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health/ready').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "node_modules/mintmark/dist/main.js"]
