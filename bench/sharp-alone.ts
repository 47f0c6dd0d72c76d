import { join } from 'node:path'
import sharp from 'sharp'

// What the library takes by itself to make of a picture what the service answers with: the largest form and
// the smallest, one picture at a time.

sharp.cache(false)
sharp.concurrency(1)

const FULL = { width: 2_400, height: 2_400, fit: 'inside', withoutEnlargement: true } as const

async function make(source: string, folder: string): Promise<void> {
  const upright = await sharp(source).autoOrient().resize(FULL).raw().toBuffer({ resolveWithObject: true })
  const { width, height, channels } = upright.info
  const open = () => sharp(upright.data, { raw: { width, height, channels } })
  await open().webp({ quality: 85 }).toFile(join(folder, 'full.webp'))
  await open().resize({ width: 300 }).webp({ quality: 80 }).toFile(join(folder, 'small.webp'))
}

process.on('message', async ({ source, folder }: { source: string; folder: string }) => {
  const since = performance.now()
  await make(source, folder)
  process.send?.(performance.now() - since)
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
