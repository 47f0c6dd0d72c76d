import type { NewPet } from '../pets/schema.ts'

// Words that several programs and people have for the same, in small letters.

/** Words, and what stands for each; null for what says that nobody knows. */
export type Words<Value> = ReadonlyMap<string, Value | null>

export function words<Value>(meanings: Record<string, Value | null>): Words<Value> {
  return new Map(Object.entries(meanings))
}

export const SEXES = words<NewPet['sex']>({
  ...{ f: 'female', female: 'female', m: 'male', male: 'male' },
  ...{ u: 'unknown', unknown: 'unknown' },
  ...{ hembra: 'female', macho: 'male', desconocido: 'unknown' },
})

export const AGES = words<NewPet['age']>({
  ...{ baby: 'baby', puppy: 'baby', kitten: 'baby', young: 'young' },
  ...{ 'young adult': 'young', adult: 'adult', 'mature adult': 'senior', senior: 'senior' },
  ...{ cachorro: 'baby', joven: 'young', adulto: 'adult', mayor: 'senior' },
})

export const SIZES = words<NewPet['size']>({
  ...{ 'very small': 'small', xs: 'small', small: 'small', s: 'small' },
  ...{ medium: 'medium', med: 'medium', m: 'medium', large: 'large', l: 'large' },
  ...{ xl: 'extra_large', xlarge: 'extra_large', 'x-large': 'extra_large' },
  ...{ 'extra large': 'extra_large', 'extra-large': 'extra_large', 'very large': 'extra_large' },
  ...{ pequeño: 'small', mediano: 'medium', grande: 'large', 'muy grande': 'extra_large' },
})

export const COATS = words<NewPet['coat']>({
  ...{ hairless: 'hairless', wire: 'wire', wirehaired: 'wire', 'wire haired': 'wire', rough: 'wire' },
  ...{
    short: 'short',
    'short hair': 'short',
    'short coat': 'short',
    medium: 'medium',
    'medium hair': 'medium',
  },
  ...{ 'medium coat': 'medium', long: 'long', 'long hair': 'long', 'long coat': 'long', curly: 'curly' },
  ...{
    'sin pelo': 'hairless',
    corto: 'short',
    medio: 'medium',
    largo: 'long',
    duro: 'wire',
    rizado: 'curly',
  },
})

export const POUND_GRAMS = 453.592_37
export const KILOGRAM_GRAMS = 1_000

export const UNIT_GRAMS = words<number>({
  ...{ pounds: POUND_GRAMS, pound: POUND_GRAMS, lbs: POUND_GRAMS, lb: POUND_GRAMS },
  ...{ kilograms: KILOGRAM_GRAMS, kilogram: KILOGRAM_GRAMS, kg: KILOGRAM_GRAMS, kgs: KILOGRAM_GRAMS },
  ...{ ounces: POUND_GRAMS / 16, ounce: POUND_GRAMS / 16, oz: POUND_GRAMS / 16 },
  ...{ grams: 1, gram: 1, g: 1 },
  ...{ libras: POUND_GRAMS, libra: POUND_GRAMS, kilos: KILOGRAM_GRAMS, kilo: KILOGRAM_GRAMS },
})
