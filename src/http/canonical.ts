/**
 * An address as it is looked up: whatever the order of its parameters and the spelling of their characters.
 * Two that are the same here are answered alike.
 */
export function canonical(address: string): string {
  const at = address.indexOf('?')
  if (at < 0 || !/[&%+]/.test(address.slice(at))) return address
  const parameters = address
    .slice(at + 1)
    .split('&')
    .map(spelt)
  return `${address.slice(0, at)}?${parameters.sort().join('&')}`
}

function spelt(parameter: string): string {
  if (!/[%+]/.test(parameter)) return parameter
  try {
    return parameter
      .split('=')
      .map((part) => encodeURIComponent(decodeURIComponent(part.replaceAll('+', ' '))))
      .join('=')
  } catch {
    // Broken: nothing else is spelt like it.
    return parameter
  }
}
