import type { NewPet } from '../pets/schema.ts'

// Export files of shelter programs with their documented columns, for made-up animals.

/** A made-up animal of a shelter program. */
export type SampleAnimal = Omit<NewPet, 'categoryId'> & { kind: string; months?: number }

const cell = (value: unknown): string => {
  const text = value === undefined ? '' : String(value)
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The columns of a CSV file, each with a function that returns its value. */
type Columns = Record<string, (animal: SampleAnimal) => unknown>

function csv(animals: SampleAnimal[], columns: Columns): string {
  const lines = animals.map((animal) =>
    Object.values(columns)
      .map((of) => cell(of(animal)))
      .join(','),
  )
  return [Object.keys(columns).join(','), ...lines, ''].join('\r\n')
}

const american = (date: string | undefined): string | undefined => {
  const [year, month, day] = date?.split('-') ?? []
  return year && `${Number(month)}/${Number(day)}/${year}`
}
export const oneZero = (value: boolean | undefined): number | undefined =>
  value === undefined ? value : value ? 1 : 0
/** 0 for yes, 1 for no, 2 for unknown. */
export const threeWay = (value: boolean | undefined): number => (value === undefined ? 2 : value ? 0 : 1)
export const capital = (word = ''): string => word.slice(0, 1).toUpperCase() + word.slice(1)

export const petfinderCsv = (animals: SampleAnimal[]): string =>
  csv(animals, {
    ID: ({ externalId }) => externalId,
    Internal: ({ externalId }) => `in-${externalId}`,
    AnimalName: ({ name }) => name,
    PrimaryBreed: ({ breed }) => breed?.primary,
    SecondaryBreed: ({ breed }) => breed?.secondary,
    Sex: ({ sex }) => sex?.slice(0, 1).toUpperCase(),
    Size: ({ size }) => ({ small: 'S', medium: 'M', large: 'L', extra_large: 'XL' })[size ?? 'small'],
    Age: ({ age }) => capital(age),
    Desc: ({ description }) => description,
    Type: ({ kind }) => kind,
    Status: ({ status }) => ({ available: 'A', pending: 'P', sold: 'X' })[status ?? 'available'],
    Shots: ({ traits }) => oneZero(traits?.vaccinated),
    Altered: ({ traits }) => oneZero(traits?.spayedNeutered),
    NoDogs: ({ goodWith }) => (goodWith?.dogs === false ? 1 : ''),
    NoCats: ({ goodWith }) => (goodWith?.cats === false ? 1 : ''),
    NoKids: ({ goodWith }) => (goodWith?.children === false ? 1 : ''),
    Housetrained: ({ traits }) => oneZero(traits?.houseTrained),
    Declawed: ({ traits }) => oneZero(traits?.declawed),
    specialNeeds: ({ traits }) => oneZero(traits?.specialNeeds),
    Mix: ({ breed }) => oneZero(breed?.mixed),
    photo1: () => 'https://photos.example/1.jpg',
    arrival_date: ({ staff }) => american(staff?.intakeDate),
    birth_date: ({ birthDate }) => american(birthDate),
    primaryColor: ({ colors }) => colors?.[0],
    secondaryColor: ({ colors }) => colors?.[1],
    tertiaryColor: ({ colors }) => colors?.[2],
    coat_length: ({ coat }) => capital(coat),
    adoption_fee: ({ fee }) => fee && `$${(fee.amount / 100).toFixed(2)}`,
    tags: ({ tags }) => tags?.join(', '),
  })

export const shelterManagerCsv = (animals: SampleAnimal[]): string =>
  csv(animals, {
    ANIMALCODE: ({ externalId }) => externalId,
    ANIMALNAME: ({ name }) => name,
    ANIMALSEX: ({ sex }) => capital(sex),
    ANIMALTYPE: () => 'U (Unwanted)',
    ANIMALSPECIES: ({ kind }) => kind,
    ANIMALBREED1: ({ breed }) => breed?.primary,
    ANIMALBREED2: ({ breed }) => breed?.secondary ?? breed?.primary,
    ANIMALCROSSBREED: ({ breed }) => oneZero(breed?.mixed),
    ANIMALCOLOR: ({ colors }) => colors?.join(' and '),
    ANIMALCOATTYPE: ({ coat }) => capital(coat),
    ANIMALSIZE: ({ size }) => ({ extra_large: 'Very Large' })[size as string] ?? capital(size),
    ANIMALDOB: ({ birthDate }) => (birthDate ? `${birthDate} 00:00:00` : 'None'),
    ANIMALESTIMATEDDOB: ({ birthDateExact }) =>
      oneZero(birthDateExact === undefined ? undefined : !birthDateExact),
    ANIMALWEIGHT: ({ weightGrams }) => weightGrams && weightGrams / 1_000,
    ANIMALDESCRIPTION: ({ description }) => description,
    ANIMALHIDDENDETAILS: ({ staff }) => staff?.notes,
    ANIMALNEUTERED: ({ traits }) => oneZero(traits?.spayedNeutered),
    ANIMALHOUSETRAINED: ({ traits }) => threeWay(traits?.houseTrained),
    ANIMALDECLAWED: ({ traits }) => oneZero(traits?.declawed),
    ANIMALSPECIALNEEDS: ({ traits }) => oneZero(traits?.specialNeeds),
    ANIMALGOODWITHCHILDREN: ({ goodWith }) => threeWay(goodWith?.children),
    ANIMALGOODWITHDOGS: ({ goodWith }) => threeWay(goodWith?.dogs),
    ANIMALGOODWITHCATS: ({ goodWith }) => threeWay(goodWith?.cats),
    ANIMALMICROCHIP: ({ staff }) => staff?.microchip,
    ANIMALENTRYDATE: ({ staff }) => staff?.intakeDate,
    ANIMALENTRYCATEGORY: ({ staff }) => staff?.intakeKind,
    ANIMALREASONFORENTRY: ({ staff }) => staff?.intakeNote,
    ANIMALLOCATION: ({ staff }) => staff?.kennel,
    ANIMALFEE: ({ fee }) => fee && (fee.amount / 100).toFixed(2),
    ANIMALDECEASEDDATE: () => 'None',
    MOVEMENTTYPE: ({ status }) => ({ available: '', pending: 9, sold: 1 })[status ?? 'available'],
    ORIGINALOWNERLASTNAME: () => 'Nobody',
  })
