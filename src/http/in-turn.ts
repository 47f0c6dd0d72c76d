/** So many at most have their turn before what has arrived meanwhile is looked at. */
const MOST_AT_ONCE = 2

/** Calls what it is given, a few functions in each turn of the event loop, so that nobody waits for all. */
export function inTurn(): (call: () => void) => void {
  const asked = new Set<() => void>()
  let isDue = false

  function callSome(): void {
    isDue = false
    for (const call of [...asked].slice(0, MOST_AT_ONCE)) {
      asked.delete(call)
      call()
    }
    if (asked.size > 0) callSoon()
  }
  function callSoon(): void {
    if (isDue) return
    isDue = true
    setImmediate(callSome)
  }
  return (call) => {
    asked.add(call)
    callSoon()
  }
}
