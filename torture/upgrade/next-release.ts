import { becomeNextRelease } from '../../src/testing/next-release.ts'

// The program, with the made-up migration of a next release.

becomeNextRelease()
await import('../../src/cli.ts')
