import assert from 'node:assert/strict'

const SAMPLE = /^([a-z][a-z0-9_]*)(\{(?:[a-z_]+="[^"\\\n]*",?)+\})? (-?[0-9.e+-]+|Nan|[+-]Inf)$/
/** A comment line with the help or type of a metric. The type must come before the samples. */
const NOTE = /^# (HELP|TYPE) ([a-z][a-z0-9_]*) (.+)$/

/** Reads /metrics, and fails on a line that Prometheus would refuse. */
export async function scrape(address: string | undefined): Promise<Map<string, number>> {
  const response = await fetch(address ?? '')
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  const [samples, types] = [new Map<string, number>(), new Map<string, string>()]
  for (const line of (await response.text()).split('\n').filter(Boolean)) {
    const [, note, metric = '', text = ''] = NOTE.exec(line) ?? []
    if (note === 'TYPE') types.set(metric, text)
    if (note) continue
    const [, name = '', labels = '', value] = SAMPLE.exec(line) ?? assert.fail(`no sample: ${line}`)
    const type = types.get(name) ?? types.get(name.replace(/_(bucket|sum|count)$/, ''))
    assert.ok(type, `${name} has no type`)
    if (type === 'counter') assert.match(name, /_total$/, line)
    assert.ok(!samples.has(name + labels), `twice: ${line}`)
    samples.set(name + labels, Number(value))
  }
  return samples
}

/** The sample that counts requests of an operation, by status and plan. */
export function requests(operation: string, status: number, plan: string): string {
  return `adoptable_http_requests_total{operation="${operation}",status="${status}",plan="${plan}"}`
}
