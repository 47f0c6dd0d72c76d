import type { TypeSlug } from '../../config.ts'
import { fold } from '../../search/words.ts'

// The colors that clients of this face know, of each type. One of them may stand for several of ours, which
// its parts are: "Brown / Chocolate" for Brown and for Chocolate.

const OF: Record<TypeSlug, string> = {
  dog: 'Apricot / Beige; Bicolor; Black; Brindle; Brown / Chocolate; Golden; Gray / Blue / Silver; Harlequin; Merle (Blue); Merle (Red); Red / Chestnut / Orange; Sable; Tricolor (Brown, Black, & White); White / Cream; Yellow / Tan / Blond / Fawn',
  cat: 'Black; Black & White / Tuxedo; Blue Cream; Blue Point; Brown / Chocolate; Buff & White; Buff / Tan / Fawn; Calico; Chocolate Point; Cream / Ivory; Cream Point; Dilute Calico; Dilute Tortoiseshell; Flame Point; Gray & White; Gray / Blue / Silver; Lilac Point; Orange & White; Orange / Red; Seal Point; Smoke; Tabby (Brown / Chocolate); Tabby (Buff / Tan / Fawn); Tabby (Gray / Blue / Silver); Tabby (Leopard / Spotted); Tabby (Orange / Red); Tabby (Tiger Striped); Torbie; Tortoiseshell; White',
  rabbit:
    'Agouti; Black; Blue / Gray; Brown / Chocolate; Cream; Lilac; Orange / Red; Sable; Silver Marten; Tan; Tortoiseshell; White',
  'small-furry':
    'Agouti; Albino; Black; Black Sable; Blue / Gray; Brown / Chocolate; Calico; Champagne; Cinnamon; Cream; Orange / Red; Sable; Tan; Tortoiseshell; White; White (Dark-Eyed)',
  horse:
    'Appaloosa; Bay; Bay Roan; Black; Blue Roan; Brown; Buckskin; Champagne; Chestnut / Sorrel; Cremello; Dapple Gray; Dun; Gray; Grullo; Liver; Paint; Palomino; Perlino; Piebald; Pinto; Red Roan; Silver Bay; Silver Buckskin; Silver Dapple; White',
  bird: 'Black; Blue; Brown; Buff; Gray; Green; Olive; Orange; Pink; Purple / Violet; Red; Rust / Rufous; Tan; White; Yellow',
  'scales-fins-other': 'Black; Blue; Brown; Gray; Green; Iridescent; Orange; Purple; Red; Tan; White; Yellow',
  barnyard: 'Agouti; Black; Black & White; Brindle; Brown; Gray; Pink; Red; Roan; Spotted; Tan; White',
}

/** In the order in which they are told. */
export function colorsOf(type: TypeSlug): string[] {
  return OF[type].split('; ')
}

/** Ours that have no part of theirs to their name. */
const OURS = new Map<string, string[]>(
  Object.entries({
    'Merle (Blue)': ['Blue Merle', 'Merle'],
    'Merle (Red)': ['Red Merle'],
    'Tricolor (Brown, Black, & White)': ['Tricolor'],
    'Black & White / Tuxedo': ['Black and White'],
    'Black & White': ['Black and White'],
    'Gray & White': ['Gray and White'],
    'Orange & White': ['Orange and White'],
    'Tabby (Brown / Chocolate)': ['Brown Tabby'],
    'Tabby (Gray / Blue / Silver)': ['Gray Tabby', 'Silver Tabby'],
    'Tabby (Orange / Red)': ['Orange Tabby'],
  }),
)

/** What animals of ours may have that they would know by this color. */
export function ourColors(color: string): string[] {
  const known = KNOWN.get(fold(color)) ?? color
  const parts = known.includes('(') ? [] : known.split(' / ')
  return [...new Set([known, ...parts, ...(OURS.get(known) ?? [])])]
}

const ALL = Object.keys(OF).flatMap((type) => colorsOf(type as TypeSlug))
const KNOWN = new Map(ALL.map((color) => [fold(color), color]))
/** Whole values of a query that have commas in them, in lower case. */
export const COLORS_WITH_COMMAS: ReadonlySet<string> = new Set(
  ALL.filter((color) => color.includes(',')).map((color) => color.toLowerCase()),
)

const THEIRS = new Map(
  Object.keys(OF).map((type) => {
    // The first that has it, and before all its own name.
    const pairs = colorsOf(type as TypeSlug)
      .toReversed()
      .flatMap((color) => ourColors(color).map((one) => [fold(one), color] as const))
    const own = colorsOf(type as TypeSlug).map((color) => [fold(color), color] as const)
    return [type, new Map([...pairs, ...own])]
  }),
)

/** A color of ours as they know it; one that they do not know stays as it is. */
export function theirColor(type: TypeSlug, color: string | undefined): string | null {
  return color === undefined ? null : (THEIRS.get(type)?.get(fold(color)) ?? color)
}
