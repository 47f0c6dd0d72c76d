import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { cleanup } from '../../src/testing/cleanup.ts'
import { canConnect, freePort } from '../../src/testing/port.ts'
import { scratchFolder } from '../../src/testing/start-app.ts'

/** Something in front of the service that gives every request it sees a new X-Request-Id. */
export interface Front {
  program: string
  /** @returns its port */
  start(t: TestContext, servicePort: number): Promise<number>
}

export const FRONTS: Front[] = [
  {
    program: 'nginx',
    start: (t, servicePort) =>
      startFront(t, 'nginx', (folder, port) => ({
        args: ['-p', folder, '-e', 'stderr', '-c'],
        text: `
          daemon off; master_process off; pid nginx.pid; error_log stderr emerg;
          events { worker_connections 1024; }
          http {
            access_log off;
            client_body_temp_path a; proxy_temp_path b; fastcgi_temp_path c; uwsgi_temp_path d; scgi_temp_path e;
            large_client_header_buffers 8 32k;
            upstream service { server 127.0.0.1:${servicePort}; keepalive 32; }
            server {
              listen 127.0.0.1:${port};
              location / {
                proxy_pass http://service;
                proxy_http_version 1.1;
                proxy_request_buffering off;
                proxy_next_upstream off;
                proxy_set_header Connection "";
                proxy_set_header X-Request-Id $request_id;
              }
            }
          }`,
      })),
  },
  {
    program: 'haproxy',
    start: (t, servicePort) =>
      startFront(t, 'haproxy', (_folder, port) => ({
        args: ['-db', '-q', '-f'],
        text: `
global
  tune.bufsize 65536
  tune.http.maxhdr 2000
defaults
  mode http
  timeout connect 5s
  timeout client 5s
  timeout server 5s
  retries 0
frontend front
  bind 127.0.0.1:${port}
  http-request set-header X-Request-Id %[uuid()]
  default_backend service
backend service
  http-reuse always
  server service 127.0.0.1:${servicePort}
`,
      })),
  },
]

async function startFront(
  t: TestContext,
  program: string,
  configure: (folder: string, port: number) => { args: string[]; text: string },
): Promise<number> {
  const folder = scratchFolder(t)
  const port = await freePort()
  const { args, text } = configure(folder, port)
  const file = join(folder, 'front.conf')
  writeFileSync(file, text)
  const child = spawn(program, [...args, file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (bytes) => {
    said += bytes
  })
  cleanup(t).defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  while (!(await canConnect(port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${said}`)
    await pause(20)
  }
  return port
}
