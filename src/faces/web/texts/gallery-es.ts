import type { gallery as english } from './gallery-en.ts'

export const gallery: typeof english = {
  title: 'Animales que buscan un hogar',
}
