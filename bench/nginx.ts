import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { canConnect, freePort } from '../src/testing/port.ts'
import { SAME_PAGE } from './adoptable.ts'
import { mind, PATIENCE_MS, stop } from './children.ts'
import type { Contestant } from './contest.ts'
import { record } from './requests.ts'

// nginx with the page as a file, behind a limit that is counted and never reached: the least that anybody
// who sends a page under a limit has to do, without keys and data.

const KEY = 'nobody-looks'

/** @returns nothing where no nginx is installed */
export async function startNginx(folder: string, page: string): Promise<Contestant | undefined> {
  const version = /nginx\/(\S+)/.exec(spawnSync('nginx', ['-v']).stderr?.toString() ?? '')?.[1]
  if (!version) return undefined
  const place = join(folder, 'nginx')
  mkdirSync(place)
  writeFileSync(join(place, 'pets.json'), page)
  const port = await freePort()
  const config = join(place, 'nginx.conf')
  writeFileSync(config, configOf(place, port))
  const child = mind(spawn('nginx', ['-p', place, '-c', config, '-e', 'stderr'], { stdio: 'ignore' }))
  const begun = performance.now()
  while (!(await canConnect(port))) {
    if (child.exitCode !== null || performance.now() - begun > PATIENCE_MS)
      throw new Error('nginx does not start')
    await pause(5)
  }
  const door = { port, key: KEY }
  return {
    name: 'nginx, static file',
    made: `nginx ${version}`,
    port,
    pid: child.pid,
    readyMs: [performance.now() - begun],
    async prepare(measurement) {
      if (measurement !== SAME_PAGE) return undefined
      return { exchanges: await record(door, [{ method: 'GET', path: '/pets.json' }]) }
    },
    stop: () => stop(child),
  }
}

/** One process, as everybody else here has one to answer from, and which nothing outlives when it is ended. */
function configOf(place: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `daemon off;
master_process off;
error_log stderr crit;
pid ${place}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${place}/${name};`).join('\n  ')}
  types { application/json json; }
  keepalive_requests 1000000000;
  open_file_cache max=10;
  sendfile on;
  limit_req_zone $binary_remote_addr zone=clients:1m rate=1000000r/s;
  server {
    listen 127.0.0.1:${port};
    root ${place};
    location / { limit_req zone=clients burst=1000000 nodelay; }
  }
}
`
}
