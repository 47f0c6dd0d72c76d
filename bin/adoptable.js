#!/usr/bin/env -S node --max-semi-space-size=8 --v8-pool-size=2 --max-old-space-size=1024
// Uses only syntax that Node 14.8 can read, so an old Node gets as far as the message below.
// The flags keep V8's young generation small and limit the heap, so V8 collects garbage before it takes more
// memory. `npm start` has the same flags.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 7)) {
  console.error(`adoptable needs Node.js 24.7 or later; this is ${process.version}.`)
  process.exit(1)
}
// `require` is faster than `import`, which also loads everything that a module of Node exports.
const require = process.getBuiltinModule('node:module').createRequire(import.meta.url)
const { existsSync } = require('node:fs')
const { enableCompileCache, getCompileCacheDir } = require('node:module')
// Without this flag, V8 puts new objects into the old generation if earlier ones of the same code lived long,
// as those of a connection do. Objects of a request would then stay in memory until a full collection.
require('node:v8').setFlagsFromString('--no-allocation-site-pretenuring')
// Later starts then need neither compile the code nor remove its types.
enableCompileCache()
const cache = getCompileCacheDir()
if (cache) process.env.NODE_COMPILE_CACHE = cache
const isClone = existsSync(new URL('../src/cli.ts', import.meta.url))
const bundle = isClone ? require('./bundle-of-clone.cjs')() : '../dist'
if (bundle) require(`${bundle}/cli.cjs`)
else await import('../src/cli.ts')
