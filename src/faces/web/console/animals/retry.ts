import { ApiError } from '../../../../errors.ts'

const MAX_TRIES = 3

/** Repeats a change of an animal if others have changed the animal between its read and its write. */
export async function retryIfChanged<Result>(change: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1)
    try {
      return await change()
    } catch (error) {
      const isChanged = error instanceof ApiError && error.code === 'precondition_failed'
      if (!isChanged || tries === MAX_TRIES) throw error
    }
}
