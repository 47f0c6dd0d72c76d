import manifest from '../package.json' with { type: 'json' }

/** This release, as package.json has it: 1.0.0. */
export function release(): string {
  return manifest.version
}
