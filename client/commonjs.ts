import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

// npm run build -w client: what programs of CommonJS need of it. The code stays one, so that an error that one
// part of a program meets is an AdoptableError to every other; the types are there twice, since compilers of
// before 2025 take no types of an ES module for CommonJS.

const DIST = new URL('dist/', import.meta.url)

writeFileSync(new URL('client.cjs', DIST), "module.exports = require('./client.js')\n")
for (const name of readdirSync(DIST).filter((file) => file.endsWith('.d.ts'))) {
  const types = readFileSync(new URL(name, DIST), 'utf8')
  const renamed = types.replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.cjs'")
  writeFileSync(new URL(name.replace(/\.ts$/, '.cts'), DIST), renamed)
}
