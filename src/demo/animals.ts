import type { NewPet } from '../pets/schema.ts'

/** An animal of the demo shelter, with its appearance for the drawing. */
export interface DemoAnimal extends Omit<NewPet, 'categoryId'> {
  category: string
  looks: Omit<Looks, 'kind' | 'backdrop'>
}

const BROWN = { fur: '#c98f4e', second: '#7a4a22' }
const WHITE = { fur: '#f2e6d5', second: '#3d332b' }
const BLACK = { fur: '#4a4a52', second: '#c79a9a' }
const GINGER = { fur: '#d9893d', second: '#a65a1d' }
const GRAY = { fur: '#8d8f98', second: '#62646e' }
const SAND = { fur: '#d8c8b4', second: '#e7b8a8' }

const ALL_TRAITS = { spayedNeutered: true, vaccinated: true, houseTrained: true }
const GOOD_WITH_ALL = { children: true, dogs: true, cats: true }

const dog = (name: string, primary: string, rest: Partial<DemoAnimal>): DemoAnimal => ({
  ...{ name, category: 'Dog', status: 'available', breed: { primary, mixed: false } },
  ...{ fee: { amount: 25_000, currency: 'USD' }, traits: ALL_TRAITS, looks: BROWN },
  ...rest,
})
const cat = (name: string, primary: string, rest: Partial<DemoAnimal>): DemoAnimal => ({
  ...{ name, category: 'Cat', status: 'available', breed: { primary, mixed: false } },
  ...{ fee: { amount: 9_000, currency: 'USD' }, traits: ALL_TRAITS, looks: GINGER },
  ...rest,
})
const rabbit = (name: string, primary: string, rest: Partial<DemoAnimal>): DemoAnimal => ({
  ...{ name, category: 'Rabbit', status: 'available', breed: { primary, mixed: false } },
  ...{
    fee: { amount: 4_000, currency: 'USD' },
    traits: { spayedNeutered: true, vaccinated: true },
    looks: SAND,
  },
  ...rest,
})

/** The animals in the order in which they arrived at the shelter. */
export const DEMO_ANIMALS: DemoAnimal[] = [
  dog('Biscuit', 'Beagle', {
    ...{ birthDate: '2021-04-12', sex: 'male', size: 'medium', weightGrams: 13_400, coat: 'short' },
    ...{ colors: ['Brown', 'White'], tags: ['food lover', 'gentle'], goodWith: GOOD_WITH_ALL },
    looks: { ...BROWN, hanging: true },
    description:
      'Biscuit follows his nose, and his nose leads to the kitchen. He walks well on a leash, sleeps through the ' +
      'night and greets everyone like an old friend.\nA fenced yard would be good: a rabbit is a strong argument.',
  }),
  dog('Juno', 'Border Collie', {
    ...{ birthDate: '2023-02-02', sex: 'female', size: 'medium', weightGrams: 17_200, coat: 'long' },
    ...{ colors: ['Black', 'White'], tags: ['clever', 'needs a job'], looks: { ...WHITE, patch: true } },
    goodWith: { children: true, dogs: true, cats: false },
    description:
      'Juno learns a new trick in an afternoon. She is happiest with two long walks a day and something to think about.',
  }),
  dog('Moss', 'Labrador Retriever', {
    ...{ birthDate: '2014-09-20', sex: 'male', size: 'large', weightGrams: 31_000, coat: 'short' },
    ...{ colors: ['Black'], tags: ['calm', 'senior'], goodWith: GOOD_WITH_ALL },
    looks: { ...BLACK, hanging: true, second: '#34343b' },
    description:
      'An old gentleman with a gray chin. Moss takes a pill for his hips each morning, in cheese.\nHe would like ' +
      'a soft bed and no stairs.',
  }),
  cat('Saffron', 'Domestic Shorthair', {
    ...{ birthDate: '2024-06-01', sex: 'female', size: 'small', weightGrams: 3_600, coat: 'short' },
    ...{
      colors: ['Orange'],
      tags: ['playful'],
      goodWith: GOOD_WITH_ALL,
      looks: { ...GINGER, stripes: true },
    },
    description:
      'Saffron races along the hallway at six and sleeps in the sun at seven. She talks while she eats.',
  }),
  cat('Inkwell', 'Domestic Shorthair', {
    ...{ birthDate: '2019-11-11', sex: 'male', size: 'medium', weightGrams: 5_200, coat: 'short' },
    ...{ colors: ['Black'], tags: ['lap cat', 'shy'], looks: BLACK },
    goodWith: { children: false, dogs: false, cats: true },
    description: 'Inkwell hides for a day, watches for a week, and then never leaves your lap again.',
  }),
  rabbit('Clover', 'Holland Lop', {
    ...{ birthDate: '2024-03-15', sex: 'female', size: 'small', weightGrams: 1_700 },
    ...{ colors: ['Gray'], tags: ['pair'], looks: { fur: '#8d7f74', second: '#c9a596', hanging: true } },
    description: 'Clover and Thimble groom each other all day and go together. They use a litter box.',
  }),
  rabbit('Thimble', 'Holland Lop', {
    ...{ birthDate: '2024-03-15', sex: 'male', size: 'small', weightGrams: 1_650 },
    ...{ colors: ['Cream'], tags: ['pair'], looks: { ...SAND, hanging: true } },
    description:
      'Thimble is the braver of the two: first at the hay, first to be picked up. He goes with Clover.',
  }),
  dog('Pepper', 'Jack Russell Terrier', {
    ...{ birthDate: '2022-08-08', sex: 'female', size: 'small', weightGrams: 6_800, coat: 'wire' },
    ...{ colors: ['White', 'Brown'], tags: ['lively'], looks: { ...WHITE, second: '#8a5a2c', patch: true } },
    goodWith: { children: true, dogs: false, cats: false },
    description: 'Small dog, large opinions. Pepper wants to be the only dog, and the one with the ball.',
  }),
  cat('Willow', 'Maine Coon', {
    ...{ birthDate: '2020-05-05', sex: 'female', size: 'large', weightGrams: 6_900, coat: 'long' },
    ...{ colors: ['Gray', 'White'], tags: ['needs brushing'], goodWith: GOOD_WITH_ALL },
    looks: { ...GRAY, stripes: true },
    description: 'Willow needs a comb twice a week and thinks that this is the best part of the day.',
  }),
  dog('Atlas', 'German Shepherd', {
    ...{ birthDate: '2022-01-30', sex: 'male', size: 'large', weightGrams: 36_000, coat: 'medium' },
    ...{
      colors: ['Black', 'Brown'],
      tags: ['strong on the leash'],
      looks: { fur: '#8b6a43', second: '#2f2a26' },
    },
    goodWith: { children: true, dogs: true, cats: false },
    status: 'pending',
    description: 'Atlas knows twelve commands and will teach you the thirteenth. He has already met someone.',
  }),
  cat('Pip', 'Siamese', {
    ...{ birthDate: '2026-06-10', sex: 'male', size: 'small', weightGrams: 1_900, coat: 'short' },
    ...{ colors: ['Cream', 'Brown'], tags: ['kitten'], looks: { fur: '#e8dcc8', second: '#6b5244' } },
    goodWith: GOOD_WITH_ALL,
    traits: { vaccinated: true, houseTrained: true },
    description:
      'Pip is all ears and questions. He would do best with another young cat, or with a lot of time.',
  }),
  dog('Olive', 'Dachshund', {
    ...{ birthDate: '2017-12-01', sex: 'female', size: 'small', weightGrams: 8_300, coat: 'short' },
    ...{
      colors: ['Brown'],
      tags: ['couch friend'],
      looks: { fur: '#a0622d', second: '#6d3f18', hanging: true },
    },
    goodWith: { children: false, dogs: true, cats: true },
    description:
      'Olive walks exactly as far as she likes and no further. Under a blanket she is at her best.',
  }),
]

/** The appearance of an animal in a drawing. */
export interface Looks {
  kind: 'dog' | 'cat' | 'rabbit'
  /** The CSS color of the fur. */
  fur: string
  /** The CSS color of patches, ears and nose. */
  second: string
  backdrop: string
  /** Ears that hang instead of standing. */
  hanging?: boolean
  /** A patch over one eye. */
  patch?: boolean
  stripes?: boolean
}

const WIDTH = 1_200
const HEIGHT = 900

/** Draws the face of an animal as an SVG. */
export function drawAnimal(looks: Looks): string {
  const { fur, second, backdrop, patch, stripes } = looks
  const parts = [
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="${backdrop}"/>`,
    `<circle cx="600" cy="520" r="430" fill="#ffffff" opacity="0.35"/>`,
    // Shoulders.
    `<path d="M330 900 C330 700 870 700 870 900 Z" fill="${fur}"/>`,
    EARS[looks.kind](looks),
    HEADS[looks.kind](fur),
    patch && `<ellipse cx="480" cy="460" rx="95" ry="110" fill="${second}"/>`,
    stripes && stripesOn(second),
    eye(480),
    eye(720),
    MUZZLES[looks.kind](looks),
  ]
  const shapes = parts.filter(Boolean).join('')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}">${shapes}</svg>`
}

type Draw = (looks: Looks) => string

const both = (shape: string): string => `${shape}<g transform="matrix(-1 0 0 1 ${WIDTH} 0)">${shape}</g>`

const EARS: Record<Looks['kind'], Draw> = {
  dog: ({ hanging, second, fur }) =>
    hanging
      ? both(`<path d="M395 330 C250 300 230 560 300 680 C380 700 430 560 430 420 Z" fill="${second}"/>`)
      : both(
          `<path d="M380 400 L350 150 L540 280 Z" fill="${fur}"/>` +
            `<path d="M400 350 L385 210 L480 285 Z" fill="${second}"/>`,
        ),
  cat: ({ second, fur }) =>
    both(
      `<path d="M350 420 L345 150 L560 270 Z" fill="${fur}"/>` +
        `<path d="M378 360 L375 210 L490 280 Z" fill="${second}"/>`,
    ),
  rabbit: ({ hanging, second, fur }) =>
    hanging
      ? both(
          `<path d="M450 300 C300 260 220 480 260 720 C340 760 420 600 480 380 Z" fill="${fur}"/>` +
            `<path d="M430 350 C340 340 290 500 310 660 C360 660 400 540 440 400 Z" fill="${second}"/>`,
        )
      : both(
          `<ellipse cx="490" cy="210" rx="70" ry="200" fill="${fur}"/>` +
            `<ellipse cx="490" cy="220" rx="36" ry="150" fill="${second}"/>`,
        ),
}

const HEADS: Record<Looks['kind'], (fur: string) => string> = {
  dog: (fur) => `<ellipse cx="600" cy="520" rx="270" ry="280" fill="${fur}"/>`,
  cat: (fur) => `<ellipse cx="600" cy="520" rx="290" ry="250" fill="${fur}"/>`,
  rabbit: (fur) => `<ellipse cx="600" cy="540" rx="250" ry="250" fill="${fur}"/>`,
}

const eye = (x: number): string =>
  `<ellipse cx="${x}" cy="470" rx="40" ry="46" fill="#201a15"/><circle cx="${x + 13}" cy="452" r="13" fill="#ffffff"/>`

const MUZZLES: Record<Looks['kind'], Draw> = {
  dog: ({ second }) =>
    `<ellipse cx="600" cy="650" rx="150" ry="120" fill="#fffaf2" opacity="0.9"/>` +
    `<ellipse cx="600" cy="590" rx="56" ry="42" fill="#2a211b"/>` +
    `<path d="M600 632 V690 M600 690 C560 730 520 720 510 690 M600 690 C640 730 680 720 690 690" ${LINE}/>` +
    `<path d="M570 712 C575 775 625 775 630 712 Z" fill="#e58a8a"/>` +
    `<circle cx="530" cy="650" r="6" fill="${second}"/><circle cx="670" cy="650" r="6" fill="${second}"/>`,
  cat: () =>
    `<path d="M565 580 H635 L600 620 Z" fill="#d98880"/>` +
    `<path d="M600 620 V650 M600 650 C570 685 540 675 530 655 M600 650 C630 685 660 675 670 655" ${LINE}/>` +
    both(`<path d="M500 620 L330 590 M500 640 L325 645 M500 660 L335 700" ${WHISKER}/>`),
  rabbit: () =>
    `<ellipse cx="545" cy="650" rx="70" ry="58" fill="#fffaf2" opacity="0.85"/>` +
    `<ellipse cx="655" cy="650" rx="70" ry="58" fill="#fffaf2" opacity="0.85"/>` +
    `<path d="M570 590 H630 L600 622 Z" fill="#d98880"/>` +
    `<rect x="576" y="668" width="23" height="52" rx="6" fill="#ffffff"/>` +
    `<rect x="601" y="668" width="23" height="52" rx="6" fill="#ffffff"/>`,
}

const LINE = 'fill="none" stroke="#2a211b" stroke-width="9" stroke-linecap="round"'
const WHISKER = 'fill="none" stroke="#3a3029" stroke-width="5" stroke-linecap="round" opacity="0.7"'

function stripesOn(color: string): string {
  const above = [540, 600, 660].map(
    (x) => `<path d="M${x} 285 V${x === 600 ? 390 : 360}" ${strokeOf(color)}/>`,
  )
  return above.join('') + both(`<path d="M325 520 L410 535 M330 590 L405 590" ${strokeOf(color)}/>`)
}

const strokeOf = (color: string): string =>
  `fill="none" stroke="${color}" stroke-width="26" stroke-linecap="round"`
