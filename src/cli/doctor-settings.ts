import { existsSync, readFileSync, statSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { type Config, ConfigError, SETTINGS } from '../config.ts'
import { doubtful, type Finding, good, wrong } from './finding.ts'
import type { Settings } from './settings.ts'

/** @returns no config when a setting is wrong: what hangs on the settings then cannot be checked */
export function checkSettings(settings: Settings): { config?: Config; findings: Finding[] } {
  try {
    const config = settings()
    return {
      config,
      findings: [good('settings', `each can be read; ${config.environment}`), ...doubts(config)],
    }
  } catch (error) {
    const problems = error instanceof ConfigError ? error.problems : [(error as Error).message]
    const correct = 'correct it in the environment or in .env'
    const advice = 'correct the settings, and run this again'
    return {
      findings: [
        ...problems.map((problem) => wrong('settings', problem, correct)),
        doubtful('other checks', 'the store, servers and ports were not looked at', advice),
      ],
    }
  }
}

function doubts({ host, baseUrlIsSet }: Config): Finding[] {
  if (baseUrlIsSet || ['127.0.0.1', '::1', 'localhost'].includes(host)) return []
  const advice = 'set BASE_URL (of staging STAGING_BASE_URL): links and the description name that address'
  return [doubtful('public address', 'it is not set, and others than this machine are served', advice)]
}

/** A setting that nobody knows is mostly a mistyped one. No value is ever shown. */
export function checkEnvironmentFile(file: string): Finding[] {
  if (!existsSync(file)) return [good(file, 'there is none; the environment alone counts')]
  let names: string[]
  try {
    names = Object.keys(parseEnv(readFileSync(file, 'utf8')))
  } catch (error) {
    return [
      wrong(file, `it cannot be read (${(error as NodeJS.ErrnoException).code})`, `chown or chmod ${file}`),
    ]
  }
  const unknown = names.filter((name) => !(name in SETTINGS))
  const findings: Finding[] = []
  if ((statSync(file).mode & 0o077) !== 0) {
    findings.push(doubtful(file, 'other users may read it', `chmod 600 ${file}: it can hold passwords`))
  }
  if (unknown.length > 0) {
    const found = `it has what is no setting: ${unknown.join(', ')}`
    findings.push(doubtful(file, found, 'compare the spelling with .env.example'))
  }
  return findings.length > 0 ? findings : [good(file, `settings: ${names.length}`)]
}
