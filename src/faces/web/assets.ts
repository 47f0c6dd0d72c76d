import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { App } from '../../http/app.ts'
import { createStaticFile, sendStaticFile } from '../../http/static-file.ts'
import { BASE_STYLE } from './styles/base.ts'
import { CONSOLE_STYLE } from './styles/console.ts'
import { APPLY_STYLE, GALLERY_STYLE, NO_PHOTO } from './styles/gallery.ts'
import { PAPER_STYLE, PRINT_STYLE } from './styles/print.ts'

// The address of an asset contains a hash of its content, so the content at an address never changes.
const IMMUTABLE = 'public, max-age=31536000, immutable'

const CSS = 'text/css; charset=utf-8'
export const JS = 'text/javascript; charset=utf-8'
const SVG = 'image/svg+xml'

const textOf = (file: URL): string => readFileSync(file, 'utf8')

/** The script that other sites load. Its address must stay the same, so the address has no hash. */
export const EMBED_SCRIPT = textOf(new URL('./scripts/embed.js', import.meta.url))

const BREEDS_SCRIPT = textOf(new URL('./scripts/breeds.js', import.meta.url))

/** Every file that pages load, except photos. */
const ASSETS = {
  'gallery.css': { type: CSS, text: BASE_STYLE + GALLERY_STYLE + PRINT_STYLE },
  'apply.css': { type: CSS, text: APPLY_STYLE },
  'gallery.js': { type: JS, text: textOf(new URL('./scripts/gallery.js', import.meta.url)) + BREEDS_SCRIPT },
  'favorites.js': { type: JS, text: textOf(new URL('./scripts/favorites.js', import.meta.url)) },
  'frame.js': { type: JS, text: textOf(new URL('./scripts/frame.js', import.meta.url)) },
  'no-photo.svg': { type: SVG, text: NO_PHOTO },
  'console.css': { type: CSS, text: BASE_STYLE + CONSOLE_STYLE + PRINT_STYLE },
  'paper.css': { type: CSS, text: BASE_STYLE + PAPER_STYLE + PRINT_STYLE },
  'paper.js': { type: JS, text: textOf(new URL('./scripts/paper.js', import.meta.url)) },
  'console.js': { type: JS, text: textOf(new URL('./scripts/console.js', import.meta.url)) + BREEDS_SCRIPT },
  'photos.js': { type: JS, text: textOf(new URL('./scripts/photos.js', import.meta.url)) },
} satisfies Record<string, { type: string; text: string }>

export type AssetName = keyof typeof ASSETS

/** The assets by name. The hash in the path lets a browser cache each asset forever. */
const assets = new Map(
  Object.entries(ASSETS).map(([name, { type, text }]) => {
    const contentHash = createHash('sha256').update(text).digest('hex').slice(0, 12)
    return [name, { path: `/assets/${contentHash}/${name}`, file: createStaticFile(type, text) }] as const
  }),
)

/** The address of an asset, for a page. */
export function assetPath(name: AssetName): string {
  return assets.get(name)?.path as string
}

export function assetRoutes(app: App): void {
  for (const { path, file } of assets.values()) {
    app.get(path, { config: { open: true } }, async (request, reply) => {
      await sendStaticFile(request, reply, file, IMMUTABLE)
      return reply
    })
  }
}
