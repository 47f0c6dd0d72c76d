// Reads web addresses, social accounts and opening hours as people type them. Other texts stay unchanged.

/** Adds https:// to `example.org` and `www.example.org/pets`. */
export function readWebAddress(text: string): string {
  return /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?:[/?#:]\S*)?$/u.test(text) ? asciiAddress(text) : text
}

/** Browsers show names with accents, but a stored address has ASCII letters only. */
function asciiAddress(text: string): string {
  const address = `https://${text}`
  const isPlain = /^[!-~]*$/.test(text)
  return !isPlain && URL.canParse(address) ? new URL(address).href : address
}

/** The page of an account, by network. */
const ACCOUNT_PAGES: Record<string, (account: string) => string> = {
  facebook: (account) => `www.facebook.com/${account}`,
  instagram: (account) => `www.instagram.com/${account}`,
  tiktok: (account) => `www.tiktok.com/@${account}`,
  x: (account) => `x.com/${account}`,
  youtube: (account) => `www.youtube.com/@${account}`,
  bluesky: (account) => `bsky.app/profile/${account.includes('.') ? account : `${account}.bsky.social`}`,
  linkedin: (account) => `www.linkedin.com/company/${account}`,
}

/** Reads `@name` or `name` as the page of an account. A Mastodon account also has a server: `@name@server`. */
export function readAccount(network: string, text: string): string {
  const [, account = '', server] = /^@?([\w-][\w.-]*)(?:@([\w-]+(?:\.[\w-]+)+))?$/.exec(text) ?? []
  if (network === 'mastodon') return server ? `https://${server}/@${account}` : readWebAddress(text)
  const page = server === undefined ? ACCOUNT_PAGES[network] : undefined
  return account !== '' && page ? `https://${page(account)}` : readWebAddress(text)
}

const TIME = String.raw`(\d{1,2})(?:(?:[:.]|\s?h\s?)([0-5]\d)?)?\s*([ap])?\.?\s?(?:m\b)?\.?`
const RANGE = new RegExp(`^${TIME}\\s*(?:-|–|—|to|until|a|hasta)\\s*${TIME}$`, 'i')
/** No shelter opens earlier, so `1-5` means the afternoon. */
const EARLIEST_HOUR = 7

/**
 * Reads opening hours such as `10-4`, `9am to 5:30pm` and `10:00-12:00, 14:00-18:00`.
 *
 * @returns `10:00-16:00`, or the text itself, such as `by appointment`
 */
export function readHours(text: string): string {
  const ranges = text.split(/\s*(?:[,;&]|\band\b|\by\b)\s*/i).map(readRange)
  return ranges.every((range) => range !== undefined) ? ranges.join(', ') : text
}

function readRange(text: string): string | undefined {
  const [, ...parts] = RANGE.exec(text.trim().replace(/\s?(?:hrs?|horas?)\.?$/i, '')) ?? []
  if (parts.length === 0) return undefined
  const [fromHour, fromMinute = '00', fromHalf, toHour, toMinute = '00', toHalf] = parts
  let from = hourOf(fromHour, fromHalf)
  let to = hourOf(toHour, toHalf)
  const isWritten24 = [fromHour, toHour].some((hour) => hour?.startsWith('0') || Number(hour) > 12)
  if (fromHalf === undefined && from < EARLIEST_HOUR && !isWritten24) from += 12
  if (toHalf === undefined && to <= from && to <= 12 && !isWritten24) to += 12
  if (to === 0) to = 24
  const [start, end] = [`${pad(from)}:${fromMinute}`, `${pad(to)}:${toMinute}`]
  return from < 24 && end <= '24:00' && start < end ? `${start}-${end}` : undefined
}

const pad = (hour: number): string => String(hour).padStart(2, '0')

function hourOf(hour: string | undefined, half: string | undefined): number {
  if (half === undefined) return Number(hour)
  // 12 am is midnight, and 12 pm is noon.
  return (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
}
