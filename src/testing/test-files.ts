import { globSync, statSync } from 'node:fs'

// The groups of test files. Each file is in QUICK or SLOW. Some files run again on PostgreSQL and Redis.

const TESTS = globSync(['src/**/*.test.ts', 'client/src/**/*.test.ts'])

/** Slow files use browsers, other programs, failing servers or killed processes. */
const isSlow = (file: string): boolean => file.endsWith('.slow.test.ts')

/** The files of `npm test`. */
export const QUICK = longestFirst(TESTS.filter((file) => !isSlow(file)))

export const SLOW = longestFirst(TESTS.filter(isSlow))

/** Tests of features, which also run on PostgreSQL. */
export const ON_POSTGRES = longestFirst([
  'src/applications/applications.test.ts',
  'src/applications/erasure.test.ts',
  'src/applications/link.test.ts',
  'src/applications/order-changes.test.ts',
  'src/applications/outbox.test.ts',
  'src/applications/plan.test.ts',
  'src/categories/categories.test.ts',
  'src/cli/demo.slow.test.ts',
  'src/db/migrate.test.ts',
  'src/faces/petfinder/animals.test.ts',
  'src/faces/petfinder/facts.test.ts',
  'src/faces/petfinder/many.slow.test.ts',
  'src/faces/petfinder/organizations.test.ts',
  'src/faces/petfinder/paging.test.ts',
  'src/faces/petfinder/token.test.ts',
  'src/faces/second-face.test.ts',
  'src/faces/two-views.test.ts',
  'src/faces/web/console/animals/animals.test.ts',
  'src/faces/web/console/animals/list.test.ts',
  'src/faces/web/console/animals/care.test.ts',
  'src/faces/web/console/animals/form.test.ts',
  'src/faces/web/console/applications/adopted.test.ts',
  'src/faces/web/console/applications/applications.test.ts',
  'src/faces/web/console/console.test.ts',
  'src/faces/web/console/choices.test.ts',
  'src/faces/web/console/hostile.test.ts',
  'src/faces/web/console/import/columns.test.ts',
  'src/faces/web/console/import/import.test.ts',
  'src/faces/web/console/keys/keys.test.ts',
  'src/faces/web/console/organization/add.test.ts',
  'src/faces/web/console/organization/organization.test.ts',
  'src/faces/web/console/organization/questions.test.ts',
  'src/faces/web/console/people/people.test.ts',
  'src/faces/web/console/photos/photos.test.ts',
  'src/faces/web/console/sign-in/join.test.ts',
  'src/faces/web/console/sign-in/sign-in.test.ts',
  'src/faces/web/console/webhooks/webhooks.test.ts',
  'src/faces/web/gallery/animal.test.ts',
  'src/faces/web/gallery/apply.test.ts',
  'src/faces/web/gallery/hostile.test.ts',
  'src/faces/web/gallery/list.test.ts',
  'src/faces/web/gallery/private.test.ts',
  'src/faces/web/gallery/shelter.test.ts',
  'src/events/events.test.ts',
  'src/events/stream.test.ts',
  'src/http/idempotency.test.ts',
  'src/http/int64.test.ts',
  'src/http/query.test.ts',
  'src/jobs/runner.test.ts',
  'src/limits/shares.test.ts',
  'src/orders/erasure.slow.test.ts',
  'src/orders/known-time.test.ts',
  'src/orders/model.test.ts',
  'src/orders/orders.test.ts',
  'src/pets/history.test.ts',
  'src/orders/plan.test.ts',
  'src/organizations/organizations.slow.test.ts',
  'src/organizations/organizations.test.ts',
  'src/pets/bonds.test.ts',
  'src/pets/search/by-distance.slow.test.ts',
  'src/pets/change.test.ts',
  'src/pets/conditions.test.ts',
  'src/pets/search/find-private.test.ts',
  'src/pets/search/find.slow.test.ts',
  'src/pets/search/find.test.ts',
  'src/pets/search/index-animals.test.ts',
  'src/inventory/statistics.test.ts',
  'src/pets/outcome.test.ts',
  'src/pets/paging.slow.test.ts',
  'src/pets/pets.test.ts',
  'src/pets/fields.test.ts',
  'src/pets/microchips.test.ts',
  'src/pets/profile.test.ts',
  'src/pets/views.test.ts',
  'src/photos/jobs.slow.test.ts',
  'src/photos/photos.test.ts',
  'src/staff/removal.test.ts',
  'src/staff/staff.test.ts',
  'src/transfer/import.test.ts',
  'src/vocabulary/vocabulary.test.ts',
  'src/follow/copies.test.ts',
  'src/follow/follow.test.ts',
  'src/webhooks/webhooks.test.ts',
  'src/webhooks/deliveries.test.ts',
  'src/webhooks/addresses.test.ts',
  'src/webhooks/behind.test.ts',
])

/** Tests that depend on rate limits, which also run with PostgreSQL and Redis. */
export const ON_SERVERS = ['src/contract.test.ts', 'src/keys/keys.test.ts', 'src/access.test.ts']

/** Sorts by size, so no process starts a long file at the end. */
function longestFirst(files: string[]): string[] {
  const bytes = new Map(files.map((file) => [file, statSync(file).size]))
  return files.sort((one, other) => (bytes.get(other) ?? 0) - (bytes.get(one) ?? 0))
}
