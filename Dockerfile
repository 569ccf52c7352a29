# The service alone: the database is the one of DATABASE_URL, so the embedded PostgreSQL is left out.
# Images are named by digest. After a look at the release notes of a newer one, `docker buildx imagetools inspect` prints its digest.

FROM node:24.19.0-bookworm-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages ./packages
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY nest-cli.json tsconfig.json prisma.config.ts ./
COPY prisma ./prisma
COPY scripts/openapi-plugin.js ./scripts/
COPY src ./src
RUN npm run build \
  && npm prune --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:24.19.0-bookworm-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 ACCESS=keys
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/packages ./packages
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY prisma ./prisma
COPY openapi ./openapi
COPY docs/tutorial.md ./docs/
# The account that the image brings. The files belong to root, so the service cannot change itself.
USER node
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --start-interval=2s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health/ready').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
