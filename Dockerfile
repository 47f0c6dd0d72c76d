# Debian rather than Alpine: some packages for build and tests have binaries only for glibc.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Run no package's script: one would install Node, which the image already has.
RUN npm ci --ignore-scripts
COPY build.ts ./
COPY src ./src
RUN npm run build

FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --omit=dev

FROM node:24-slim
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY bin ./bin
COPY package.json LICENSE ./
RUN ln -s /app/bin/adoptable.js /usr/local/bin/adoptable && install -d -o 1000 -g 1000 -m 700 /data

# Only /data has to be writable: SQLite's temporary files go there too, and no compiled code is cached.
ENV HOST=0.0.0.0 \
    PORT=8080 \
    DATABASE_URL=sqlite:/data/adoptable.db \
    SQLITE_TMPDIR=/data \
    NODE_DISABLE_COMPILE_CACHE=1
USER 1000:1000
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["adoptable"]
CMD ["serve"]
