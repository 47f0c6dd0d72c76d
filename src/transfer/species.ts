/** Our first categories, by the words that programs for shelters have for kinds of animals. */
const KINDS: Record<string, string> = {
  Dog: 'dog, puppy',
  Cat: 'cat, kitten',
  Rabbit: 'rabbit, bunny',
  'Small & furry':
    'small furry, small and furry, small animal, guinea pig, hamster, gerbil, mouse, rat, chinchilla, ferret, degu, hedgehog, sugar glider, squirrel, skunk, prairie dog, rodent',
  Horse: 'horse, pony, donkey, mule, miniature horse',
  Bird: 'bird, parrot, parakeet, budgie, budgerigar, cockatiel, cockatoo, canary, finch, macaw, conure, lovebird, dove, pigeon, owl',
  'Scales, fins & other':
    'scales fins other, scales fins and other, reptile, amphibian, snake, lizard, gecko, iguana, chameleon, bearded dragon, turtle, tortoise, terrapin, frog, toad, newt, fish, goldfish, spider, tarantula, crab, hermit crab',
  Barnyard:
    'barnyard, farm animal, livestock, cow, cattle, bull, pig, potbellied pig, goat, sheep, chicken, hen, rooster, duck, goose, turkey, llama, alpaca, emu, ostrich',
}

const CATEGORIES = new Map(
  Object.entries(KINDS).flatMap(([category, words]) =>
    words.split(', ').map((word): [string, string] => [word, category]),
  ),
)

/** Categories in which nearly all animals are of one kind: their name says it. */
const OF_ONE_KIND = ['Dog', 'Cat', 'Rabbit']
const GENERAL = /^(?:small|scales|barnyard|farm|livestock|exotic|other|reptile|rodent|bird|horse)s?\b/i

/** What a program calls an animal, where its category has several kinds. */
export function finerKind({ kind }: { kind?: string }): string | undefined {
  const category = kind && categoryOfSpecies(kind)
  return !kind || GENERAL.test(kind) || OF_ONE_KIND.includes(category ?? '') ? undefined : kind
}

/** @returns the name of one of the categories that a new store has; undefined for a word that is not known */
export function categoryOfSpecies(species: string): string | undefined {
  const word = species
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim()
  return CATEGORIES.get(word) ?? CATEGORIES.get(word.replace(/s$/, ''))
}
