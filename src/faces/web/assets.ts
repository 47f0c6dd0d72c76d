import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { App } from '../../http/app.ts'
import { hold, sendHeld } from '../../http/held.ts'
import { ANIMAL_STYLE } from './styles/animal.ts'
import { APPLY_STYLE } from './styles/apply.ts'
import { BASE_STYLE } from './styles/base.ts'
import { CONSOLE_STYLE } from './styles/console.ts'
import { CONSOLE_ANIMALS_STYLE } from './styles/console-animals.ts'
import { CONSOLE_APPLICATIONS_STYLE } from './styles/console-applications.ts'
import { GALLERY_STYLE } from './styles/gallery.ts'
import { NO_PHOTO } from './styles/no-photo.ts'

/** Another content has another address. */
const FOR_EVER = 'public, max-age=31536000, immutable'

const CSS = 'text/css; charset=utf-8'
export const JS = 'text/javascript; charset=utf-8'
const SVG = 'image/svg+xml'

const script = (name: string): string => readFileSync(new URL(`./scripts/${name}`, import.meta.url), 'utf8')

/** For pages of other sites, which find it under an address that stays. */
export const EMBED = script('embed.js')

/** Every file that pages load beside photos. The one list. */
const ASSETS = {
  'gallery.css': { type: CSS, text: BASE_STYLE + GALLERY_STYLE + ANIMAL_STYLE },
  'apply.css': { type: CSS, text: APPLY_STYLE },
  'gallery.js': { type: JS, text: script('gallery.js') },
  'frame.js': { type: JS, text: script('frame.js') },
  'no-photo.svg': { type: SVG, text: NO_PHOTO },
  'console.css': {
    type: CSS,
    text: BASE_STYLE + CONSOLE_STYLE + CONSOLE_ANIMALS_STYLE + CONSOLE_APPLICATIONS_STYLE,
  },
  'console.js': { type: JS, text: script('console.js') },
  'photos.js': { type: JS, text: script('photos.js') },
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
