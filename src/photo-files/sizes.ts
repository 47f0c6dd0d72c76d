/** The side that nothing kept is longer than, in pixels. */
export const FULL_SIDE = 2_400

/** What is made of every photo: how wide it is at most, and what it is. The one list. */
const FORMS = {
  small: { width: 300, type: 'image/webp' },
  medium: { width: 600, type: 'image/webp' },
  large: { width: 1_200, type: 'image/webp' },
  full: { width: FULL_SIDE, type: 'image/webp' },
  /** For programs and previews that know no WebP. */
  jpeg: { width: 1_200, type: 'image/jpeg' },
} as const

export type Form = keyof typeof FORMS
export const ALL_FORMS = Object.keys(FORMS) as Form[]
/** Those that a photo is announced with. */
export const SIZES = ['small', 'medium', 'large', 'full'] as const satisfies Form[]
/** What is there before a photo is; the others follow. */
export const FIRST_FORMS = ['full', 'small'] as const satisfies Form[]

export const formOf = (form: Form): { width: number; type: string } => FORMS[form]

const NAMES = Object.fromEntries(
  ALL_FORMS.map((form) => [form, `${FORMS[form].width}.${form === 'jpeg' ? 'jpg' : 'webp'}`]),
) as Record<Form, string>

/** @param hash as the photo's row has it */
export const fileName = (hash: string, form: Form): string => `${hash}-${NAMES[form]}`

const FILE_NAME = /^([0-9a-f]{32})-(\d+\.\w+)$/

/** What a file's name says, if it is one of ours. */
export function readFileName(name: string): { hash: string; form: Form } | undefined {
  const [, hash, rest] = FILE_NAME.exec(name) ?? []
  const form = ALL_FORMS.find((form) => NAMES[form] === rest)
  return hash && form ? { hash, form } : undefined
}
