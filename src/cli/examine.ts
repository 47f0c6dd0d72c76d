import { isPostgres } from '../db/store-url.ts'
import { checkMachine, checkPorts } from './doctor-machine.ts'
import { checkPhotos } from './doctor-photos.ts'
import { checkPostgres, checkRedis } from './doctor-servers.ts'
import { checkEnvironmentFile, checkSettings } from './doctor-settings.ts'
import { checkStoreFile } from './doctor-store.ts'
import type { Finding } from './finding.ts'
import type { Settings } from './settings.ts'

/** Every check of `adoptable doctor`, in the order in which it tells them. */
export async function examine(settings: Settings): Promise<Finding[]> {
  const { config, findings } = checkSettings(settings)
  const machine = [...findings, ...checkEnvironmentFile('.env'), ...checkMachine(config)]
  if (!config) return machine
  return [
    ...machine,
    ...(isPostgres(config.databaseUrl)
      ? await checkPostgres(config.databaseUrl, config.databaseConnections)
      : await checkStoreFile(config.databaseUrl)),
    ...(config.redisUrl === undefined ? [] : await checkRedis(config.redisUrl)),
    ...(await checkPhotos(config)),
    ...(await checkPorts(config)),
  ]
}
