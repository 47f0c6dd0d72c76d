import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { AwsClient } from 'aws4fetch'
import { freePort } from './port.ts'

const KINDS = ['account', 'container', 'object', 'proxy'] as const
type Kind = (typeof KINDS)[number]

/** The folder of Debian's Swift servers and their Python. */
const PROGRAMS = '/usr/bin'
const programOf = (kind: Kind): string => join(PROGRAMS, `swift-${kind}-server`)
const missing = KINDS.map(programOf).filter((program) => !existsSync(program))

/** Options for a test that needs Swift. Without the installed servers, the test is skipped. */
export const NEEDS_SWIFT = {
  skip: missing.length > 0 && `not installed: ${missing.map((program) => basename(program)).join(', ')}`,
  timeout: 60_000,
}

/** A bucket in OpenStack Swift, which supports the S3 API. */
export interface TestSwift {
  port: number
  key: string
  secret: string
  bucket: string
}

const REGION = 'eu-central-1'
const [KEY, SECRET, BUCKET] = ['pets:photos', 'a/secret+of@words', 'photos']
const PATIENCE_MS = 120_000

/** The setting PHOTOS_URL for this bucket. @param port the port of a proxy to Swift, if any */
export function photosUrlOf(
  { key, secret, bucket, ...swift }: TestSwift,
  { port = swift.port, ...others }: { port?: number; secret?: string } = {},
): string {
  const secrets = [key, others.secret ?? secret].map(encodeURIComponent).join(':')
  return `s3+http://${secrets}@127.0.0.1:${port}/${bucket}?region=${REGION}`
}

/** Starts Swift with one disk in a new folder, and removes both after the test. */
export async function startSwift(t: { after(end: () => Promise<void>): void }): Promise<TestSwift> {
  const folder = mkdtempSync(join(tmpdir(), 'adoptable-swift-'))
  mkdirSync(join(folder, 'devices', 'disk'), { recursive: true })
  const servers: ChildProcess[] = []
  t.after(async () => {
    await Promise.all(servers.map(end))
    rmSync(folder, { recursive: true, force: true })
  })

  const ports: Record<Kind, number> = {
    account: await freePort(),
    container: await freePort(),
    object: await freePort(),
    proxy: await freePort(),
  }
  execFileSync(join(PROGRAMS, 'python3'), ['-c', RINGS, folder, JSON.stringify(ports)])
  for (const kind of KINDS) {
    const file = join(folder, `${kind}.conf`)
    writeFileSync(file, settingsOf(kind, folder, ports[kind]))
    servers.push(spawn(programOf(kind), [file], { cwd: folder, stdio: 'ignore' }))
  }

  const swift = { port: ports.proxy, key: KEY, secret: SECRET, bucket: BUCKET }
  await makeBucket(swift)
  return swift
}

/**
 * Creates the rings, which assign data to servers. There is one server per kind. Swift's own command takes a
 * second per step.
 */
const RINGS = `
import json, sys
from swift.common.ring import RingBuilder
folder, ports = sys.argv[1], json.loads(sys.argv[2])
for kind in ('account', 'container', 'object'):
    builder = RingBuilder(2, 1, 0)
    builder.add_dev(dict(id=0, region=1, zone=1, ip='127.0.0.1', port=ports[kind], device='disk', weight=1))
    builder.rebalance()
    builder.get_ring().save('%s/%s.ring.gz' % (folder, kind))
`

/** Swift's proxy requires a cache in its settings, but works if the cache cannot be reached. */
const PROXY = `
pipeline = cache s3api tempauth proxy-server
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:s3api]
use = egg:swift#s3api
location = ${REGION}
[filter:tempauth]
use = egg:swift#tempauth
user_${KEY.replace(':', '_')} = ${SECRET} .admin
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
`

function settingsOf(kind: Kind, folder: string, port: number): string {
  const store = `\npipeline = ${kind}-server\n[app:${kind}-server]\nuse = egg:swift#${kind}\n`
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${folder}
devices = ${join(folder, 'devices')}
mount_check = false
fallocate_reserve = 0
[pipeline:main]${kind === 'proxy' ? PROXY : store}`
}

/** Creates the bucket; retries while the servers are starting. */
async function makeBucket({ port, key, secret, bucket }: TestSwift): Promise<void> {
  const client = new AwsClient({
    accessKeyId: key,
    secretAccessKey: secret,
    service: 's3',
    region: REGION,
    retries: 0,
  })
  const since = performance.now()
  for (;;) {
    const answer = await client.fetch(`http://127.0.0.1:${port}/${bucket}`, { method: 'PUT' }).catch(() => {})
    const text = await answer?.text()
    if (answer?.ok) return
    if (performance.now() - since > PATIENCE_MS) throw new Error(`Swift does not start: ${text}`)
    await pause(100)
  }
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const gone = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGKILL')
  await gone
}
