import type { OutgoingHttpHeaders } from 'node:http'
import type { Answer } from './client.ts'
import type { Person } from './console.ts'
import type { TestApp } from './start-app.ts'

const BOUNDARY = 'the-boundary'

/** Sends the import form with a file. */
export function upload(
  app: TestApp,
  { token }: Person,
  file: string | Buffer,
  fields: Record<string, string> = {},
  headers: OutgoingHttpHeaders = {},
  signal?: AbortSignal,
): Promise<Answer> {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const name = fields.name ?? 'animals.csv'
  const head = `${parts.join('')}--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: text/csv\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), Buffer.from(file), Buffer.from(`\r\n--${BOUNDARY}--\r\n`)])
  return app.request('/console/import', {
    ...{ method: 'POST', body, ...(signal && { signal }) },
    headers: {
      authorization: undefined,
      cookie: `__Host-session=${token}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'sec-fetch-site': 'same-origin',
      ...headers,
    },
  })
}
