/**
 * Returns the entry file of a thread or process of this program, in the source or in the bundle.
 *
 * @param name the file name without its extension; the file lies next to the module that starts it
 * @param url `import.meta.url` of that module
 */
export function entryOf(name: string, url: string): URL {
  return new URL(`${name}.${url.endsWith('.ts') ? 'ts' : 'cjs'}`, url)
}
