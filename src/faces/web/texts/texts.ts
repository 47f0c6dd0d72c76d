import type { Language } from '../../../http/language.ts'
import * as applyEn from './apply-en.ts'
import * as applyEs from './apply-es.ts'
import * as commonEn from './common-en.ts'
import * as commonEs from './common-es.ts'
import * as consoleEn from './console-en.ts'
import * as consoleEs from './console-es.ts'
import * as galleryEn from './gallery-en.ts'
import * as galleryEs from './gallery-es.ts'

/** All words of the pages, by their part. English is the form that every language has to fill. */
export interface Texts {
  common: typeof commonEn.common
  gallery: typeof galleryEn.gallery
  apply: typeof applyEn.apply
  console: typeof consoleEn.console
}

const TEXTS: Record<Language, Texts> = {
  en: {
    common: commonEn.common,
    gallery: galleryEn.gallery,
    apply: applyEn.apply,
    console: consoleEn.console,
  },
  es: {
    common: commonEs.common,
    gallery: galleryEs.gallery,
    apply: applyEs.apply,
    console: consoleEs.console,
  },
}

export function textsOf(language: Language): Texts {
  return TEXTS[language]
}
