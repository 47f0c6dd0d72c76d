// The contract, keys and access once more, on a real PostgreSQL and a real Redis.
import './on-servers.ts'
import '../access.test.ts'
import '../contract.test.ts'
import '../keys/keys.test.ts'
