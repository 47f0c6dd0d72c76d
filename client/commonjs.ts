import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

// npm run build -w client: the files for CommonJS. They load the same code, so `instanceof AdoptableError` works
// everywhere. The types are duplicated, because compilers before 2025 reject types of an ES module in CommonJS.

const DIST = new URL('dist/', import.meta.url)

writeFileSync(new URL('client.cjs', DIST), "module.exports = require('./client.js')\n")
for (const name of readdirSync(DIST).filter((file) => file.endsWith('.d.ts'))) {
  const types = readFileSync(new URL(name, DIST), 'utf8')
  const renamed = types.replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.cjs'")
  writeFileSync(new URL(name.replace(/\.ts$/, '.cts'), DIST), renamed)
}
