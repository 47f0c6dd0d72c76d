/** Big cities that the list has under one name alone, by their country; first the name in the list. */
const NAMES: Record<string, string[]> = {
  AT: ['Vienna/Wien'],
  BE: ['Brussels/Bruxelles/Brussel', 'Antwerpen/Antwerp/Anvers', 'Gent/Ghent/Gand', 'Brugge/Bruges'],
  CA: ['Québec/Quebec City'],
  CH: ['Genève/Geneva/Genf', 'Luzern/Lucerne', 'Bern/Berne', 'Basel/Bâle', 'Sankt Gallen/St. Gallen'],
  CZ: ['Prague/Praha'],
  DE: [
    'Munich/München',
    'Köln/Cologne',
    'Nürnberg/Nuremberg',
    'Hannover/Hanover',
    'Frankfurt am Main/Frankfurt',
  ],
  DK: ['Copenhagen/København'],
  ES: ['Sevilla/Seville'],
  GR: ['Athens/Athina'],
  IT: [
    'Rome/Roma',
    'Milan/Milano',
    'Naples/Napoli',
    'Turin/Torino',
    'Florence/Firenze',
    'Venice/Venezia',
    'Genoa/Genova',
    'Padova/Padua',
  ],
  MX: ['Mexico City/Ciudad de México'],
  NL: ['The Hague/Den Haag/s-Gravenhage'],
  PL: ['Warsaw/Warszawa'],
  PT: ['Lisbon/Lisboa'],
  RO: ['Bucharest/București'],
  RS: ['Belgrade/Beograd'],
  RU: ['Moscow/Moskva'],
  SE: ['Göteborg/Gothenburg'],
  UA: ['Kyiv/Kiev'],
  US: ['New York City/New York', 'Washington, D.C./Washington'],
}

const others = new Map(
  Object.entries(NAMES).flatMap(([country, cities]) =>
    cities.map((names): [string, string[]] => {
      const [listed = '', ...more] = names.split('/')
      return [`${country} ${listed}`, more]
    }),
  ),
)

/** What else a city is called, in its own language or in English. */
export const otherNames = (country: string, name: string): string[] => others.get(`${country} ${name}`) ?? []

/** St. Louis, Saint Louis */
export function withOtherSaint(name: string): string | undefined {
  if (/^Saint /.test(name)) return name.replace('Saint', 'St.')
  return /^St\.? /.test(name) ? name.replace(/^St\.?/, 'Saint') : undefined
}
