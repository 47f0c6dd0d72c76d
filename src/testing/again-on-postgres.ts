// The tests of every feature once more, on a real PostgreSQL.
import './on-postgres.ts'
import '../categories/categories.test.ts'
import '../db/migrate.test.ts'
import '../http/idempotency.test.ts'
import '../orders/model.test.ts'
import '../orders/orders.test.ts'
import '../pets/change.test.ts'
import '../pets/pets.test.ts'
