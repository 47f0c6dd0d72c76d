import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { App } from '../../http/app.ts'
import { hold, sendHeld } from '../../http/held.ts'
import { BASE_STYLE } from './styles/base.ts'
import { CONSOLE_STYLE } from './styles/console.ts'
import { APPLY_STYLE, GALLERY_STYLE, NO_PHOTO } from './styles/gallery.ts'

/** Another content has another address. */
const FOR_EVER = 'public, max-age=31536000, immutable'

const CSS = 'text/css; charset=utf-8'
export const JS = 'text/javascript; charset=utf-8'
const SVG = 'image/svg+xml'

const textOf = (file: URL): string => readFileSync(file, 'utf8')

/** For pages of other sites, which find it under an address that stays. */
export const EMBED = textOf(new URL('./scripts/embed.js', import.meta.url))

/** Every file that pages load beside photos. The one list. */
const ASSETS = {
  'gallery.css': { type: CSS, text: BASE_STYLE + GALLERY_STYLE },
  'apply.css': { type: CSS, text: APPLY_STYLE },
  'gallery.js': { type: JS, text: textOf(new URL('./scripts/gallery.js', import.meta.url)) },
  'frame.js': { type: JS, text: textOf(new URL('./scripts/frame.js', import.meta.url)) },
  'no-photo.svg': { type: SVG, text: NO_PHOTO },
  'console.css': { type: CSS, text: BASE_STYLE + CONSOLE_STYLE },
  'console.js': { type: JS, text: textOf(new URL('./scripts/console.js', import.meta.url)) },
  'photos.js': { type: JS, text: textOf(new URL('./scripts/photos.js', import.meta.url)) },
} satisfies Record<string, { type: string; text: string }>

export type AssetName = keyof typeof ASSETS

/** With a mark of its content in the name, so that a browser asks for each only once. */
const held = new Map(
  Object.entries(ASSETS).map(([name, { type, text }]) => {
    const mark = createHash('sha256').update(text).digest('hex').slice(0, 12)
    return [name, { path: `/assets/${mark}/${name}`, file: hold(type, text) }] as const
  }),
)

/** The address of a file, for a page. */
export function assetPath(name: AssetName): string {
  return held.get(name)?.path as string
}

export function assetRoutes(app: App): void {
  for (const { path, file } of held.values()) {
    app.get(path, { config: { open: true } }, async (request, reply) => {
      await sendHeld(request, reply, file, FOR_EVER)
      return reply
    })
  }
}
