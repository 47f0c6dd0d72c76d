import { capital, oneZero, type SampleAnimal, threeWay } from './shelter-exports.ts'

// API responses of shelter programs with their documented members, for made-up animals.

const unix = (date: string | undefined): string | undefined => date && String(Date.parse(date) / 1_000)
const yesNo = (value: boolean | undefined): string => (value === undefined ? '' : value ? 'Yes' : 'No')

/** Every animal in this response is for adoption. */
export const shelterManagerJson = (animals: SampleAnimal[]): string =>
  JSON.stringify(
    animals.map(({ externalId, name, kind, breed, staff, traits, goodWith, ...animal }, index) => ({
      ...{ ID: index + 1, SHELTERCODE: externalId, ANIMALNAME: name, SPECIESNAME: kind },
      BREEDNAME: [breed?.primary, breed?.secondary].filter(Boolean).join(' / '),
      BREEDNAME1: breed?.primary,
      BREEDNAME2: breed?.secondary ?? breed?.primary,
      CROSSBREED: oneZero(breed?.mixed),
      BASECOLOURNAME: animal.colors?.join(' and '),
      COATTYPENAME: capital(animal.coat),
      SEXNAME: capital(animal.sex),
      SIZENAME:
        ({ extra_large: 'Very Large' } as Record<string, string>)[animal.size ?? ''] ?? capital(animal.size),
      DATEOFBIRTH: animal.birthDate && `${animal.birthDate}T00:00:00`,
      ESTIMATEDDOB: oneZero(animal.birthDateExact === undefined ? undefined : !animal.birthDateExact),
      WEIGHT: animal.weightGrams && animal.weightGrams / 1_000,
      ANIMALCOMMENTS: animal.description?.replaceAll('\n', '<br/>').replaceAll('&', '&amp;'),
      NEUTERED: oneZero(traits?.spayedNeutered),
      ISHOUSETRAINED: threeWay(traits?.houseTrained),
      DECLAWED: oneZero(traits?.declawed),
      HASSPECIALNEEDS: oneZero(traits?.specialNeeds),
      ISGOODWITHCHILDREN: threeWay(goodWith?.children),
      ISGOODWITHDOGS: threeWay(goodWith?.dogs),
      ISGOODWITHCATS: threeWay(goodWith?.cats),
      IDENTICHIPNUMBER: staff?.microchip ?? '',
      DATEBROUGHTIN: staff?.intakeDate && `${staff.intakeDate}T10:30:00`,
      ENTRYREASONNAME: staff?.intakeKind,
      REASONFORENTRY: staff?.intakeNote,
      SHELTERLOCATIONNAME: staff?.kennel,
      HIDDENANIMALDETAILS: staff?.notes,
      FEE: animal.fee?.amount ?? 0,
      WEBSITEIMAGECOUNT: 2,
    })),
  )

export const shelterluvJson = (animals: SampleAnimal[]): string =>
  JSON.stringify({
    success: 1,
    has_more: false,
    animals: animals.map(({ externalId, name, kind, breed, staff, traits, ...animal }, index) => ({
      ...{ ID: externalId, 'Internal-ID': String(9_000 + index), Name: name, Type: kind },
      Breed: [breed?.primary, breed?.secondary].filter(Boolean).join('/'),
      Color: animal.colors?.join('/'),
      Sex: capital(animal.sex),
      DOBUnixTime: unix(animal.birthDate),
      Age: animal.months,
      Size: {
        small: 'Small (0-24)',
        medium: 'Medium (25-59)',
        large: 'Large (60-99)',
        extra_large: 'Extra-Large (100+)',
      }[animal.size ?? 'small'],
      CurrentWeightPounds: animal.weightGrams && (animal.weightGrams / 453.592_37).toFixed(4),
      Altered: yesNo(traits?.spayedNeutered),
      Status: { available: 'Available For Adoption', pending: 'Adoption Pending', sold: 'Adopted' }[
        animal.status ?? 'available'
      ],
      InFoster: false,
      Description: animal.description,
      Photos: ['https://photos.example/1.jpg'],
      Videos: animal.videos?.map((Url) => ({ Url })) ?? [],
      Attributes: animal.tags?.map((AttributeName) => ({ AttributeName, Publish: 'Yes' })) ?? [],
      AdoptionFeeGroup: animal.fee && { Name: 'Adults', Price: animal.fee.amount / 100, Discount: 0 },
      Microchips: staff?.microchip ? [{ Id: staff.microchip, Issuer: 'Nobody' }] : [],
      LastIntakeUnixTime: unix(staff?.intakeDate),
      CurrentLocation: staff?.kennel ? { Tier2: staff.kennel } : {},
    })),
  })

export const rescueGroupsJson = (animals: SampleAnimal[]): string => {
  const words = (type: string, names: (string | undefined)[]) =>
    [...new Set(names)].flatMap((name) =>
      name ? [{ type, id: name, attributes: { name, singular: name } }] : [],
    )
  return JSON.stringify({
    data: animals.map(
      ({ externalId, name, kind, status, breed, traits, goodWith, staff, ...animal }, index) => ({
        ...{ type: 'animals', id: String(70_000 + index) },
        attributes: {
          ...{ name, rescueId: externalId, breedPrimary: breed?.primary, breedSecondary: breed?.secondary },
          breedString: [breed?.primary, breed?.secondary].filter(Boolean).join(' / '),
          isBreedMixed: breed?.mixed,
          coatLength: capital(animal.coat),
          birthDate: animal.birthDate && `${animal.birthDate}T00:00:00Z`,
          isBirthDateExact: animal.birthDateExact,
          ageGroup: capital(animal.age),
          sex: capital(animal.sex),
          sizeGroup:
            ({ extra_large: 'X-Large' } as Record<string, string>)[animal.size ?? ''] ?? capital(animal.size),
          sizeCurrent: animal.weightGrams && Number((animal.weightGrams / 453.592_37).toFixed(4)),
          sizeUOM: 'Pounds',
          descriptionHtml: animal.description?.replaceAll('&', '&amp;').replaceAll('\n', '<br>'),
          descriptionText: animal.description,
          isAltered: traits?.spayedNeutered,
          isHousetrained: traits?.houseTrained,
          isDeclawed: traits?.declawed,
          isSpecialNeeds: traits?.specialNeeds,
          isCurrentVaccinations: traits?.vaccinated,
          isKidsOk: goodWith?.children,
          isDogsOk: goodWith?.dogs,
          isCatsOk: goodWith?.cats,
          adoptionFeeString: animal.fee && `$${animal.fee.amount / 100}`,
          qualities: animal.tags ?? [],
          videoUrls: animal.videos ?? [],
          receivedDate: staff?.intakeDate,
          microchipNumber: staff?.microchip,
          pictureCount: 3,
        },
        relationships: {
          species: { data: [{ type: 'species', id: kind }] },
          statuses: { data: [{ type: 'statuses', id: status }] },
          colors: { data: animal.colors?.map((id) => ({ type: 'colors', id })) ?? [] },
          locations: { data: animal.place ? [{ type: 'locations', id: animal.place.city }] : [] },
        },
      }),
    ),
    included: [
      ...words(
        'species',
        animals.map(({ kind }) => kind),
      ),
      ...words(
        'colors',
        animals.flatMap(({ colors }) => colors ?? []),
      ),
      ...[
        ['available', 'Available'],
        ['pending', 'Pending'],
        ['sold', 'Adopted'],
      ].map(([id, name]) => ({ type: 'statuses', id, attributes: { name } })),
      ...animals.flatMap(({ place }) => {
        if (!place) return []
        const { city, region: state, postcode: postalcode, country, latitude: lat, longitude: lon } = place
        return [{ type: 'locations', id: city, attributes: { city, state, postalcode, country, lat, lon } }]
      }),
    ],
  })
}
