import { createServer } from 'node:http'

// Node's server alone, which takes 64 KiB and no more: what its parser costs is no doing of the service.

const MOST = 65_536

createServer((request, response) => {
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MOST && !response.headersSent) response.writeHead(413, { connection: 'close' }).end()
  })
  request.on('end', () => response.end())
}).listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening'))
