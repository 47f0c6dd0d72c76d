import type { console as english } from './console-en.ts'

export const console: typeof english = {
  title: 'Consola',
}
