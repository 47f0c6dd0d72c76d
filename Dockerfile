# Debian rather than Alpine: the packages that build and test have binaries for glibc, some of them for nothing else.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# No package's script runs: this image has its Node already, and the build needs no other one.
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

# Nothing but /data has to be writable: temporary files of SQLite go there too, and no code is cached.
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
