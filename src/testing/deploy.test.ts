import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { matchesGlob } from 'node:path'
import { test } from 'node:test'
import { readConfig, SETTINGS } from '../config.ts'
import { ERRORS } from '../errors.ts'
import { bareEnvironment, runCli } from './process.ts'
import { startApp } from './start-app.ts'

// Checks of the image and the compose file that need no container engine.

const text = (file: string): string => readFileSync(file, 'utf8')

/** The YAML parser that @fastify/swagger depends on. */
const yaml = createRequire(import.meta.resolve('@fastify/swagger'))('yaml')

interface Service {
  image: string
  build?: string
  user?: string
  read_only: boolean
  cap_drop: string[]
  security_opt: string[]
  environment?: Record<string, string>
  ports?: string[]
  volumes?: string[]
  networks: string[]
  healthcheck?: object
  depends_on?: Record<string, { condition: string }>
  deploy: { resources: { limits: Record<string, unknown> } }
}

const compose = yaml.parse(text('compose.yaml'), { merge: true })
const services: Record<string, Service> = compose.services
const ownServices = Object.values(services).filter(({ build }) => build !== undefined)

/** The instructions of each stage of the Dockerfile, one per line. */
const stages = text('Dockerfile')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n\s*/g, '')
  .split(/^(?=FROM )/m)
  .filter((stage) => stage.startsWith('FROM '))
  .map((stage) => stage.trim().split(/\n+/))
const runtime = stages.at(-1) ?? []

const argumentsOf = (stage: string[], name: string): string[] =>
  stage.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1))

/** The environment variables of the image. */
const imageEnvironment = Object.fromEntries(
  argumentsOf(runtime, 'ENV')
    .flatMap((line) => line.split(/\s+/))
    .map((pair) => pair.split(/=(.*)/s, 2) as [string, string]),
)
const OF_THE_IMAGE = ['SQLITE_TMPDIR', 'NODE_DISABLE_COMPILE_CACHE']

/** Replaces each variable, as compose does, with a sample value. */
const filledIn = (value: string): string => value.replace(/\$\{(\w+)[^}]*\}/g, 'pets.example')

test('Dockerfile copies only existing files that .dockerignore includes, and uses the Node version of package.json', () => {
  const rules = text('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const letIn = (path: string): boolean =>
    rules.findLast((rule) => rule === '*' || matchesGlob(path, rule.replace('!', '')))?.startsWith('!') ??
    true
  for (const stage of stages) {
    for (const line of argumentsOf(stage, 'COPY')) {
      if (line.startsWith('--from=')) continue
      for (const source of line.split(/\s+/).slice(0, -1)) {
        assert.ok(existsSync(source), `COPY ${line}`)
        assert.ok(letIn(source), `.dockerignore excludes ${source}`)
      }
    }
    const [base = ''] = argumentsOf(stage, 'FROM')
    assert.equal(
      base.split(' ')[0],
      // The tag of the major version, which is its latest release.
      `node:${JSON.parse(text('package.json')).engines.node.replace(/^>=(\d+).*/, '$1')}-slim`,
    )
  }
  for (const path of ['.env', 'data', '.git', 'node_modules', 'src/testing', 'bench'])
    assert.ok(!letIn(path), path)
})

test('Dockerfile uses no root user, development packages or secrets, and /data is the only volume', () => {
  const lines = stages.flat()

  assert.match(argumentsOf(runtime, 'USER').at(-1) ?? 'root', /^[1-9]\d*:[1-9]\d*$/)
  assert.deepEqual(argumentsOf(runtime, 'VOLUME'), ['/data'])
  assert.ok(lines.some((line) => /^RUN npm ci\b.*--omit=dev/.test(line)))
  assert.ok(!runtime.some((line) => /^RUN .*\bnpm\b/.test(line)))
  assert.ok(!lines.some((line) => /^(ARG|ADD)\b|PASSWORD|SECRET|TOKEN|adopt_/i.test(line)))
  for (const name of Object.keys(imageEnvironment))
    assert.ok(name in SETTINGS || OF_THE_IMAGE.includes(name), name)
  assert.equal(readConfig(imageEnvironment).databaseUrl, 'sqlite:/data/adoptable.db')
})

test('the health check of the image succeeds only if the service is ready', async (t) => {
  const [, command = ''] = /CMD (\[.*\])$/.exec(argumentsOf(runtime, 'HEALTHCHECK')[0] ?? '') ?? []
  const [program, ...args]: [string, ...string[]] = JSON.parse(command)
  assert.equal(program, 'node')
  assert.match(args.join(' '), /\/readyz/)
  const check = async (port: number): Promise<number> => {
    const [code] = await once(
      spawn(process.execPath, args, { env: { ...bareEnvironment(), PORT: String(port) } }),
      'exit',
    )
    return code
  }
  const app = await startApp(t)

  assert.equal(await check(app.port), 0)
  await app.stop()
  assert.equal(await check(app.port), 1)
})

test('compose confines, limits and health-checks every container; only the balancer has ports', () => {
  for (const [name, service] of Object.entries(services)) {
    assert.equal(service.read_only, true, name)
    assert.deepEqual([service.cap_drop, service.security_opt], [['ALL'], ['no-new-privileges:true']], name)
    assert.deepEqual(Object.keys(service.deploy.resources.limits), ['cpus', 'memory', 'pids'], name)
    assert.ok(service.healthcheck || service.build, `${name} has no health check`)
    assert.ok(service.user || service.build, `${name} names no user`)
    assert.equal(service.ports !== undefined, name === 'balancer', name)
    assert.equal(service.networks.includes('outside'), name === 'balancer', name)
    for (const other of Object.keys(service.depends_on ?? {})) assert.ok(services[other], `${name}: ${other}`)
    for (const [source = ''] of (service.volumes ?? []).map((volume) => volume.split(':'))) {
      assert.ok(
        source.startsWith('./') ? existsSync(source) : source in compose.volumes,
        `${name}: ${source}`,
      )
    }
  }
  assert.equal(compose.networks.inside.internal, true)
})

test('compose starts two processes with existing, valid settings, and gives no secret a default', () => {
  assert.equal(ownServices.length, 2)
  for (const { environment = {} } of ownServices) {
    for (const name of Object.keys(environment)) assert.ok(name in SETTINGS, name)
    const config = readConfig(
      Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filledIn(value)])),
    )
    assert.equal(config.baseUrl, 'https://pets.example/v1')
    assert.deepEqual(
      config.trustProxy,
      compose.networks.inside.ipam.config.map(({ subnet }: { subnet: string }) => subnet),
    )
    for (const url of [environment.DATABASE_URL, environment.REDIS_URL]) {
      assert.ok(new URL(filledIn(url ?? '')).hostname in services, url)
    }
  }
  const names = new Set<string>()
  for (const [use, name = '', rest = ''] of text('compose.yaml').matchAll(/(?<!\$)\$\{?(\w+)([^}\s]*)/g)) {
    assert.ok(rest.startsWith(':?'), `${use} has a default or may be empty`)
    names.add(name)
  }
  for (const name of names)
    assert.ok(text('docs/operating.md').includes(`${name}=`), `${name} is not in the docs`)
})

test('the balancer forwards to both processes, closes connections first, and answers like the service if both are down', () => {
  const caddyfile = text('deploy/Caddyfile')
  const [, upstreams = ''] = /reverse_proxy ([^{]+) \{/.exec(caddyfile) ?? []
  const own = Object.entries(services).filter(([, { build }]) => build !== undefined)
  const [, keepalive = ''] = /keepalive (\d+)s/.exec(caddyfile) ?? []
  const [, body = '', status] = /respond `([^`]+)` (\d+)/.exec(caddyfile) ?? []

  assert.deepEqual(
    upstreams.split(' '),
    own.map(([name]) => `${name}:${imageEnvironment.PORT}`),
  )
  assert.ok(Number(keepalive) < Number(SETTINGS.KEEP_ALIVE_TIMEOUT_SECONDS.default))
  const [expected, message] = ERRORS.service_unavailable
  assert.deepEqual(JSON.parse(body), { code: 'service_unavailable', message, status: expected })
  assert.equal(Number(status), expected)
})

test('systemd restarts the service without limit, except after invalid settings', async (t) => {
  const unit = text('deploy/adoptable.service')
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1]
  assert.equal(setting('Restart'), 'on-failure')
  assert.equal(setting('StartLimitIntervalSec'), '0')
  assert.ok(
    unit.indexOf('StartLimitIntervalSec') < unit.indexOf('[Service]'),
    'systemd reads this setting only in [Unit]',
  )

  const { code } = await runCli(t, ['serve'], { PORT: 'x' })
  assert.equal(setting('RestartPreventExitStatus'), String(code))
  const otherFailure = await runCli(t, ['serve'], { DATABASE_URL: 'sqlite:/proc/adoptable/pets.db' })
  assert.notEqual(setting('RestartPreventExitStatus'), String(otherFailure.code))
})
