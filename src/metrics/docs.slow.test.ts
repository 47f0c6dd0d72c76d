import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { scratchDatabase } from '../testing/postgres.ts'
import { NEEDS_REDIS, startRedis } from '../testing/redis.ts'
import { startApp } from '../testing/start-app.ts'

const OBSERVING = readFileSync('docs/observing.md', 'utf8')
const NAME = /\b(?:adoptable|process|nodejs)_[a-z0-9_]+[a-z0-9]\b/g

interface Described {
  name: string
  help: string
  type: string
  labels: string[]
}

/** Every possible metric, including those of PostgreSQL and Redis. */
async function everyMetric(t: Parameters<typeof startApp>[0]): Promise<Described[]> {
  const redis = await startRedis(t)
  const settings = { METRICS_PORT: '0', REDIS_URL: `redis://127.0.0.1:${redis.port}` }
  const { service } = await startApp(t, { databaseUrl: await scratchDatabase(t), settings })
  const { registry } = service.context.metrics ?? assert.fail('nothing is measured')
  const types = new Map((await registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]))
  return (registry.getMetricsAsArray() as unknown as (Described & { labelNames: string[] })[]).map(
    ({ name, help, labelNames }) => ({ name, help, type: types.get(name) ?? '', labels: labelNames }),
  )
}

test('docs/observing.md lists every metric; alerts and dashboard name no others', NEEDS_REDIS, async (t) => {
  const metrics = await everyMetric(t)
  const rows = metrics
    .filter(({ name }) => name.startsWith('adoptable_'))
    .map(({ name, type, labels, help }) => `| \`${name}\` | ${type} | ${labels.join(', ')} | ${help} |`)
    .sort()
  const table = ['| Metric | Kind | Labels | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n')
  const [, listed] = /<!-- metrics -->\n\n(.*)\n\n<!-- \/metrics -->/s.exec(OBSERVING) ?? []
  assert.equal(listed, table, `docs/observing.md is out of date; between its marks should be:\n\n${table}\n`)

  const dashboard = readFileSync('docs/grafana.json', 'utf8')
  const names = new Set(metrics.map(({ name }) => name))
  for (const [used] of [...OBSERVING.matchAll(NAME), ...dashboard.matchAll(NAME)]) {
    const name = used.replace(/_(bucket|sum|count)$/, '')
    assert.ok(names.has(name), `${used} is not a metric`)
  }
})

test('the dashboard’s panels all query the selected Prometheus', () => {
  const { panels, templating } = JSON.parse(readFileSync('docs/grafana.json', 'utf8'))
  assert.equal(templating.list[0].type, 'datasource')
  const titles = panels.map(({ title }: { title: string }) => title)
  assert.equal(new Set(titles).size, titles.length)
  for (const { datasource, targets } of panels) {
    assert.equal(datasource.uid, `\${${templating.list[0].name}}`)
    assert.ok(targets.length > 0 && targets.every(({ expr }: { expr: string }) => expr !== ''))
  }
})
