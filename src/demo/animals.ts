import type { NewPet } from '../pets/schema.ts'
import type { Looks } from './drawing.ts'

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
