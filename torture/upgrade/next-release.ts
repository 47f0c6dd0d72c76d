import { becomeNextRelease } from '../../src/testing/next-release.ts'

// The program with an additional migration, as a next release would have.

becomeNextRelease()
await import('../../src/cli.ts')
