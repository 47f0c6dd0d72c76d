/**
 * The file in which a thread or process of this program starts.
 *
 * @param name its file without the ending, in the folder of the module that starts it, and of a bundle
 * @param url of that module
 */
export function entryOf(name: string, url: string): URL {
  return new URL(`${name}.${url.endsWith('.ts') ? 'ts' : 'cjs'}`, url)
}
