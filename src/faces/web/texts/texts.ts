import { byLanguage, type Language } from '../../../http/language.ts'
import { apply } from './apply.ts'
import { console } from './console.ts'
import { gallery } from './gallery.ts'
import { page } from './page.ts'
import { papers } from './papers.ts'

/** All texts of the pages, by part. */
const TEXTS = byLanguage({ common: page, gallery, apply, console, papers })

export type Texts = (typeof TEXTS)[Language]

export function textsOf(language: Language): Texts {
  return TEXTS[language]
}
