import manifest from '../package.json' with { type: 'json' }

/** The version in package.json, such as 1.0.0. */
export function release(): string {
  return manifest.version
}
