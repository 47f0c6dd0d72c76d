/** No answer in this time is a lost store: a request is usually answered within 250 ms, whatever happens. */
export const ANSWER_MS = 120
/** Looked at so often. */
const WATCH_MS = 20

/** @returns what to call before a question; and what that returns, after the answer */
export function watchAnswers(onSilence: () => void): () => () => void {
  const questions = new Set<{ askedAt: number }>()
  let watch: NodeJS.Timeout | undefined

  function look(): void {
    const [oldest] = questions
    if (!oldest) {
      clearInterval(watch)
      watch = undefined
    } else if (performance.now() - oldest.askedAt > ANSWER_MS) {
      // What has come in meanwhile is read first: perhaps it was this process that was busy.
      setImmediate(() => questions.has(oldest) && onSilence())
    }
  }

  return () => {
    const question = { askedAt: performance.now() }
    questions.add(question)
    watch ??= setInterval(look, WATCH_MS)
    return () => questions.delete(question)
  }
}
