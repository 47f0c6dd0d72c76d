type Say = (value: string) => string
type SayOf = (label: string, value: string) => string

/** Why a line or a file is not imported. */
export const refusals = {
  /** By the code of the import. */
  reasons: {
    unknown_kind: (value) =>
      `No kind here is called “${value}”. Choose a kind for such animals where you upload the file.`,
    unknown_organization_code: (value) => `No organization has the code “${value}”.`,
    known_before: (value) =>
      `It was imported before: it is animal ${value}. Choose “Change animals that came before” where you upload the file to change it.`,
    moved_away: () => 'It was imported before, and belongs to another organization now, or to none.',
    not_for_adoption: (value) =>
      `It is not for adoption in the file, and animal ${value} has a status here. Change that one by hand.`,
    bond_lacking: (value) => `It is adopted together with animals that were not imported: ${value}.`,
    no_source_id: () =>
      'The column that tells the animals apart is empty here, or has more than 200 characters.',
    not_utf8: () => 'It has letters that cannot be read. Save the file again as CSV UTF-8.',
    other_cells: () => 'It has more or fewer cells than the line of headings.',
    line_too_long: () => 'It is too long to be an animal.',
    not_csv: () => 'A quotation mark in a cell is not written as CSV asks. Save the table as CSV again.',
    known_file: (value) => `This file was imported before, from animal ${value} on. Nothing was changed.`,
    own_ids: () =>
      'The animals of this file are here already, with the same numbers. Each would be added once more, so nothing was changed.',
    other_program: () =>
      'The file looks like an export of another program. Choose that one under “Where it comes from”.',
    other_format: (value) =>
      `What the file holds does not fit the end of its name. Let the name end with .${value}.`,
    missing_column: (value) =>
      `The file lacks a column that is needed: ${value}. Does it come from where you chose?`,
    column_case: (value) =>
      `A heading of the file is in other letters than it has to be: call that column “${value}”.`,
    not_json: () => 'It is no JSON that can be read. Export it from the other program again.',
    no_object: () => 'It is no animal: each has to stand in a JSON object of its own.',
    column_twice: (value) => `The file has two columns with the heading “${value}”. Rename one of them.`,
    open_quote: (value) => `In line ${value} a quotation mark begins a cell and none ends it.`,
    compressed: () => 'The file is compressed. Unpack it first.',
    workbook: () =>
      'The file is a workbook or an archive. Save the sheet as CSV UTF-8, and choose that file.',
    no_status: () => 'It has no status, so nobody knows whether it is for adoption.',
    unknown_status: (value) => `Its status “${value}” is none that is known here.`,
    has_died: () => 'It has died.',
    never_sheltered: () => 'It never was an animal of the shelter.',
    has_left: () => 'It has left the shelter without being adopted.',
    utf16: () => 'The file has an encoding that is not read here. Save it again as CSV UTF-8.',
  } as Record<string, Say>,
  /** Of a field with a text that is not understood, by the kind of the field. */
  fields: {
    choice: (label, value) => `${label}: “${value}” is no word that is known here.`,
    yesOrNo: (label, value) => `${label}: “${value}” is neither yes nor no.`,
    check: (label, value) => `${label}: “${value}” is neither yes nor no.`,
    date: (label, value) => `${label}: “${value}” is no day from 1950 to today, such as 2023-12-31.`,
    dayFirst: (label, value) =>
      `${label}: “${value}” has the day first. Choose “Dates have the day first” where you upload the file.`,
    number: (label, value) => `${label}: “${value}” is no number that is possible.`,
    kilograms: (label, value) => `${label}: “${value}” is no weight, such as 4.5 kg or 10 lb.`,
    money: (label, value) => `${label}: “${value}” is no amount, such as 150 or 99.50.`,
  } as Record<string, SayOf>,
  exactAlone: 'It says whether the birth date is exact, and has no birth date.',
  /** Behind a column of dates that were left out. */
  dayFirst: 'the day comes first',
  /** Behind what is said of a field of any other kind. */
  found: (value: string) => `The file has “${value}”.`,
}
