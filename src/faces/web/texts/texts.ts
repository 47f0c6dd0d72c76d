import type { Language } from '../../../http/language.ts'
import { apply } from './apply.ts'
import { console } from './console.ts'
import { gallery } from './gallery.ts'
import { page } from './page.ts'
import { papers } from './papers.ts'

/** All texts of the pages, by part. The other languages must have every English text. */
const en = { common: page.en, gallery: gallery.en, apply: apply.en, console: console.en, papers: papers.en }

export type Texts = typeof en

const TEXTS: Record<Language, Texts> = {
  en,
  es: { common: page.es, gallery: gallery.es, apply: apply.es, console: console.es, papers: papers.es },
}

export function textsOf(language: Language): Texts {
  return TEXTS[language]
}
