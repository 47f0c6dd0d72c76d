// A birth date of which only the month or the year is known.

const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september'],
  ...['october', 'november', 'december', 'enero', 'febrero', 'marzo', 'abril', 'mayo', 'junio', 'julio'],
  ...['agosto', 'septiembre', 'octubre', 'noviembre', 'diciembre'],
]

/** Of a name in English or Spanish, or what stands for it: "Jun", "sept." */
function monthNamed(name: string): number | undefined {
  const at = MONTHS.findIndex((month) => month.startsWith(name.toLowerCase()))
  return at < 0 ? undefined : (at % 12) + 1
}

/** The first day of what a text names: 2023, 2023-06, 06/2023, June 2023, junio de 2023. */
export function roughDateOf(text: string): string | undefined {
  const [, year, month] = /^(\d{4})(?:[-/.](\d\d?))?$/.exec(text) ?? []
  if (year !== undefined) return firstDay(year, month === undefined ? 1 : Number(month))
  const [, numbered, ofIt = ''] = /^(\d\d?)[-/.](\d{4})$/.exec(text) ?? []
  if (numbered !== undefined) return firstDay(ofIt, Number(numbered))
  const [, name = '', ofName = ''] = /^(\p{L}{3,12})\.?,? (?:de )?(\d{4})$/iu.exec(text) ?? []
  const named = name === '' ? undefined : monthNamed(name)
  return named === undefined ? undefined : firstDay(ofName, named)
}

function firstDay(year: string, month: number): string | undefined {
  return month >= 1 && month <= 12 ? `${year}-${String(month).padStart(2, '0')}-01` : undefined
}
