import type { TestContext } from 'node:test'

const stacks = new WeakMap<TestContext, AsyncDisposableStack>()

/** The clean-up steps of a test. They run in reverse order, so a service ends before its store is removed. */
export function cleanup(t: TestContext): AsyncDisposableStack {
  const existing = stacks.get(t)
  if (existing) return existing
  const stack = new AsyncDisposableStack()
  stacks.set(t, stack)
  t.after(() => stack.disposeAsync())
  return stack
}
