import type { Config, Typed } from '../config.ts'
import { SETTINGS } from '../config.ts'

/** Reads the settings; what was given as options wins. */
export type Settings = (typed?: Typed) => Config

const WIDTH = 28

export const ALL_SETTINGS = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]

/** For the help of a command: the settings that it reads. */
export function settingsHelp(...names: typeof ALL_SETTINGS): string {
  const lines = names.map((name) => {
    const { default: fallback, meaning } = SETTINGS[name]
    return `  ${name.padEnd(WIDTH)}  ${meaning}${fallback === '' ? '' : ` (default: ${fallback})`}`
  })
  return `\nSettings, from the environment or a file .env:\n${lines.join('\n')}`
}
