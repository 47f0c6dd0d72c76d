const WIDTH = 60

/** JSON to read: what fits stays on one line, what does not has a line for each part. */
export function pretty(value: unknown, indent = ''): string {
  const line = spaced(value)
  if (typeof value !== 'object' || value === null || indent.length + line.length <= WIDTH) return line
  const within = `${indent}  `
  const [open, close, parts] = Array.isArray(value)
    ? ['[', ']', value.map((item) => pretty(item, within))]
    : ['{', '}', Object.entries(value).map(([name, item]) => `"${name}": ${pretty(item, within)}`)]
  return `${open}\n${parts.map((part) => within + part).join(',\n')}\n${indent}${close}`
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, item]) => `"${name}": ${spaced(item)}`)
  return `{${members.join(', ')}}`
}
