#!/usr/bin/env -S node --max-semi-space-size=2 --v8-pool-size=2 --max-old-space-size=1024
// Plain JavaScript that Node can read from 14.8 on: an older one must get this far, to be told which is needed.
// The flags keep the young generation, and so what survives in it by chance, small, and make V8 collect before it
// asks for more memory: the nearer the end of what it may have, the sooner. `npm start` has the same.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 7)) {
  console.error(`adoptable needs Node.js 24.7 or later; this is ${process.version}.`)
  process.exit(1)
}
// By require: to import a module of Node loads everything that it exports.
const require = process.getBuiltinModule('node:module').createRequire(import.meta.url)
const { existsSync } = require('node:fs')
const { enableCompileCache, getCompileCacheDir } = require('node:module')
// V8 would learn from what lives as long as a connection to put the like of it straight into the old generation:
// with it what each request makes, which then keeps all of that request alive until a full collection.
require('node:v8').setFlagsFromString('--no-allocation-site-pretenuring')
// Saves compiling, and stripping types, at every start but the first.
enableCompileCache()
const cache = getCompileCacheDir()
if (cache) process.env.NODE_COMPILE_CACHE = cache
const isClone = existsSync(new URL('../src/cli.ts', import.meta.url))
const bundle = isClone ? require('./bundle-of-clone.cjs')() : '../dist'
if (bundle) require(`${bundle}/cli.cjs`)
else await import('../src/cli.ts')
