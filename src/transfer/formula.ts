// Spreadsheet programs take what begins like these for a formula, and run it. OWASP ("CSV Injection") has an
// apostrophe put before it, which those programs read as: this is text.

/** Also behind what such a program may take for the end of a cell or line. */
const BEGINNING = '(?<=^|[;\\t\\r\\n])'
/** With what stands before it already, so that no two texts become one. */
const FORMULA = "['\\x20]*[=+\\-@\\t\\r\\n＝＋－＠]"

const TO_SHIELD = new RegExp(`${BEGINNING}(?=${FORMULA})`, 'g')
const SHIELDED = new RegExp(`${BEGINNING}'(?=${FORMULA})`, 'g')

/** The text as a cell that no spreadsheet program runs. */
export function shieldFormulas(text: string): string {
  return text.replace(TO_SHIELD, "'")
}

/** Gives back exactly what was shielded. */
export function unshieldFormulas(cell: string): string {
  return cell.replace(SHIELDED, '')
}
