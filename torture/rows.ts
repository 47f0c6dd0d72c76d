/** One line of `npm run torture`. */
export interface Row {
  name: string
  /** What it shows, in one sentence. */
  promise: string
  /** Files of its tests; `torture/<name>.test.ts` when absent. */
  files?: string[]
  /** How often, in `npm run torture`, in its short version, and in that of a night. */
  rounds?: { short: number; usual: number; night: number }
  /** Not in the short version: it takes too long however few the rounds are. */
  long?: true
  /** Minutes that the usual rounds may take before the test counts as hanging; 10 when absent. */
  minutes?: number
}

/** All tests, in the order in which they run. */
export const ROWS: Row[] = [
  {
    name: 'kill9',
    promise: 'What was answered 201 is there for ever, and once, however often the service is killed.',
    rounds: { short: 6, usual: 1_000, night: 10_000 },
    minutes: 40,
  },
  {
    name: 'syscalls',
    promise:
      'Killed at any system call, the service loses and doubles no animal, and every 201 follows the sync of its log.',
    rounds: { short: 3, usual: 100, night: 2_000 },
    minutes: 60,
  },
  {
    name: 'history',
    promise: 'What 64 clients see beside kill -9 agrees with what they did.',
    rounds: { short: 2, usual: 60, night: 1_000 },
    minutes: 30,
  },
  {
    name: 'power-cut',
    promise: 'What was answered 201 before a power cut is there after it, once and with its id.',
    rounds: { short: 2, usual: 200, night: 2_000 },
    minutes: 20,
  },
  {
    name: 'io-errors',
    promise:
      'When calls to the disk fail, nothing answered 201 is lost, and nothing is built on a failed sync.',
    rounds: { short: 1, usual: 30, night: 200 },
  },
  {
    name: 'disk-full',
    promise:
      'On a full disk changes get 503 and reads go on; with room again all is well, nothing lost or twice.',
    rounds: { short: 2, usual: 100, night: 1_000 },
    minutes: 15,
  },
  {
    name: 'corrupt',
    promise:
      'A damaged store is refused in one line, answered with 503, or served with the right data, but for one value.',
    rounds: { short: 3, usual: 300, night: 3_000 },
  },
  {
    name: 'memory',
    promise: 'With too little memory the service serves or ends, and loses nothing.',
    rounds: { short: 1, usual: 33, night: 300 },
    minutes: 15,
  },
  {
    name: 'backup',
    promise:
      'A backup beside creates and kill -9 holds every animal answered before it began, or is not there.',
    rounds: { short: 3, usual: 100, night: 1_000 },
    minutes: 30,
  },
  {
    name: 'upgrade',
    promise:
      'A store of any earlier release is brought up to date with every row, however often that is killed.',
    rounds: { short: 1, usual: 100, night: 1_200 },
    minutes: 60,
  },
  {
    name: 'simulate-limiter',
    promise:
      'However processes, network and Redis fail together, no caller gets one request more than the limit.',
    rounds: { short: 40, usual: 2_000, night: 100_000 },
    minutes: 40,
  },
  {
    name: 'simulate-orders',
    promise:
      'However connections break and processes die, what was wished under a key happens once or not at all.',
    rounds: { short: 60, usual: 5_000, night: 100_000 },
    minutes: 30,
  },
  {
    name: 'model',
    promise: 'Every verdict is that of a diary read from the start.',
    rounds: { short: 3, usual: 100, night: 1_000 },
    minutes: 20,
  },
  {
    name: 'exact',
    promise:
      'Every window serves exactly its limit, from any number of processes, and a request at its edge counts once.',
    rounds: { short: 10, usual: 1_000, night: 5_000 },
    minutes: 20,
  },
  {
    name: 'windows',
    promise: 'Two processes on one Redis serve exactly the limit in every window.',
    rounds: { short: 5, usual: 100, night: 1_000 },
    minutes: 15,
  },
  {
    name: 'headers',
    promise: 'The three headers are on every answer, and true.',
    files: ['torture/headers.test.ts', 'torture/headers-everywhere.test.ts'],
    rounds: { short: 10, usual: 500, night: 5_000 },
  },
  {
    name: 'bans',
    promise:
      'A ban comes with the exact refusal, everywhere, and a revoked key serves nothing after a second.',
    files: ['torture/bans.test.ts', 'torture/bans-changes.test.ts'],
    rounds: { short: 2, usual: 100, night: 1_000 },
    minutes: 30,
  },
  {
    name: 'flood',
    promise: 'No flood of keys, addresses or paths changes the count of anybody.',
    files: ['torture/flood.test.ts', 'torture/flood-addresses.test.ts'],
    rounds: { short: 2, usual: 50, night: 1_000 },
    minutes: 30,
  },
  {
    name: 'clock',
    promise: 'No jump of the clock gives a request back or locks anybody out.',
    rounds: { short: 2, usual: 40, night: 400 },
    minutes: 15,
  },
  {
    name: 'sunset',
    promise: 'GET /pets/{petId} goes at the exact second, and nothing else.',
    rounds: { short: 3, usual: 50, night: 500 },
    long: true,
  },
  {
    name: 'redis-outage',
    promise: 'Without Redis nobody gets more than the limit, and everybody an answer within 250 ms.',
    long: true,
  },
  {
    name: 'slow-line',
    promise: 'Over a line as slow as may be, of a process that hangs now and then, never one over.',
    rounds: { short: 2, usual: 50, night: 500 },
    minutes: 15,
  },
  {
    name: 'redis-states',
    promise: 'Whatever becomes of Redis, two processes serve no more than the limit and stay up.',
    rounds: { short: 4, usual: 200, night: 1_000 },
    long: true,
    minutes: 20,
  },
  {
    name: 'postgres-crash',
    promise:
      'However PostgreSQL ends, the service stays, says 503, is soon back, and nothing answered is lost or doubled.',
    rounds: { short: 5, usual: 100, night: 1_000 },
  },
  {
    name: 'ambiguous',
    promise: 'When the reply to a commit is cut off, the retry gets the same animal, and there is one.',
    rounds: { short: 150, usual: 10_000, night: 50_000 },
  },
  {
    name: 'partition',
    promise:
      'Behind a cut, slow or torn line every answer comes within 2 s and is right, and service is soon back.',
    rounds: { short: 1, usual: 40, night: 400 },
  },
  {
    name: 'pool',
    promise: 'Held connections make clients wait a bounded time, not for ever, and service returns at once.',
    rounds: { short: 4, usual: 30, night: 300 },
    long: true,
  },
  {
    name: 'postgres-states',
    promise:
      'Read-only, full, locked, cancelling, without connections, failed over: 503, nothing lost, soon back.',
    rounds: { short: 5, usual: 60, night: 500 },
    long: true,
  },
  {
    name: 'start-order',
    promise:
      'Started before its stores, the service waits at rest, then serves; a hopeless start ends with one line.',
    rounds: { short: 1, usual: 10, night: 50 },
    long: true,
  },
  {
    name: 'stop',
    promise:
      'A stop answers what was begun, resets nobody and loses nothing; workers are replaced without a client noticing.',
    rounds: { short: 2, usual: 100, night: 1_000 },
    long: true,
    minutes: 60,
  },
  {
    name: 'first-run',
    promise: 'A start that cannot be says so in one line, and leaves nothing that hinders the next.',
    rounds: { short: 2, usual: 40, night: 400 },
  },
  {
    name: 'contract-fuzz',
    promise: 'Every answer to a random request is as openapi.json describes it.',
    rounds: { short: 6_000, usual: 1_000_000, night: 10_000_000 },
    minutes: 25,
  },
  {
    name: 'refusals',
    promise:
      'Bodies, types, queries and heads that are wrong get the stated 4xx and change nothing; a key does what its level may.',
    files: [
      ...['src/http/body.test.ts', 'src/http/query.test.ts', 'src/http/parser-errors.test.ts'],
      'src/access.test.ts',
    ],
  },
  {
    name: 'json-corpus',
    promise:
      'What is JSON is read as JSON.parse reads it, what is none is refused, and the rest is written down.',
    rounds: { short: 300, usual: 20_000, night: 500_000 },
  },
  {
    name: 'int64',
    promise: 'An int64 is the very same in body, path and query, or is refused.',
    rounds: { short: 200, usual: 20_000, night: 200_000 },
  },
  {
    name: 'unicode',
    promise: 'Every text comes back byte for byte, or is refused with a 400, on both stores.',
    rounds: { short: 300, usual: 65_536, night: 65_536 },
    minutes: 20,
  },
  {
    name: 'bombs',
    promise:
      'A request made to be costly is answered as it should be, and neither stops nor swells the service.',
    rounds: { short: 3, usual: 50, night: 500 },
  },
  {
    name: 'regex',
    promise: 'No pattern takes more time than a small multiple of its text.',
  },
  {
    name: 'slow-clients',
    promise: 'Clients that are slow to ask or to read are gone within 15 s, and others are served meanwhile.',
    rounds: { short: 20, usual: 1_000, night: 4_000 },
  },
  {
    name: 'slow-clients-program',
    promise: 'The same, against the connections of slowhttptest.',
    rounds: { short: 20, usual: 1_000, night: 4_000 },
    long: true,
  },
  {
    name: 'smuggling',
    promise: 'One request in is one request seen, directly and behind nginx and haproxy.',
    rounds: { short: 40, usual: 2_000, night: 20_000 },
  },
  {
    name: 'smuggling-leaks',
    promise: 'Clients that leave mid-answer leave nothing behind; pipelined answers keep their order.',
    rounds: { short: 20, usual: 2_000, night: 4_000 },
    minutes: 20,
  },
  {
    name: 'raw-fuzz',
    promise: 'Whatever bytes come, the answer is HTTP and never a 500.',
    rounds: { short: 500, usual: 50_000, night: 500_000 },
    minutes: 30,
  },
  {
    name: 'bearer',
    promise: 'Only the one form of a valid key is accepted; everything else is 401.',
    rounds: { short: 300, usual: 5_000, night: 50_000 },
  },
  {
    name: 'secrets',
    promise: 'No key is anywhere at rest or in a log, no log line is forged, no 5xx tells anything.',
    files: ['torture/secrets.test.ts', 'torture/secrets-errors.test.ts'],
    rounds: { short: 40, usual: 2_000, night: 10_000 },
  },
  {
    name: 'supply-chain',
    promise:
      'Every package is pinned and listed, two builds are byte-equal, no secret is in tree, tarball or history.',
  },
  {
    name: 'reference',
    promise:
      'The page under /docs works in a real browser, by keyboard and on a phone, and axe-core finds nothing in it.',
    rounds: { short: 2, usual: 6, night: 6 },
  },
  {
    name: 'supply-chain-permissions',
    promise: 'The service needs no file but its data, and no other program.',
    rounds: { short: 30, usual: 5_000, night: 50_000 },
  },
  {
    name: 'client-package',
    promise:
      'The packed client installs without a network, runs the examples of its README, and has types for strict programs.',
    files: ['client/package.test.ts'],
  },
  {
    name: 'package',
    promise:
      'What npm pack makes installs as a command and serves; the unit of systemd is valid and confined.',
    long: true,
  },
  {
    name: 'coverage',
    promise: 'Every line and branch of limits, keys and transitions is run by a test.',
    long: true,
    minutes: 30,
  },
  {
    name: 'mutation',
    promise: 'Nearly every small change to the rules makes a test fail.',
    long: true,
    minutes: 40,
  },
]

/** What once failed: run again in every run, as often as it then took. */
export const KEPT: { name: string; seed: number; rounds: number }[] = [
  // A process that served alone, was killed and replaced: what it had been promised was given away again.
  { name: 'simulate-limiter', seed: 165, rounds: 1 },
  { name: 'simulate-limiter', seed: 410, rounds: 1 },
  // Redis lost its memory twice while a process was away: after the second time nobody waited for it.
  { name: 'simulate-limiter', seed: 5131, rounds: 1 },
  { name: 'simulate-limiter', seed: 6, rounds: 1 },
  // A minute opened alone was told of after the others' own had ended: they had the limit, and again when it ended.
  { name: 'simulate-limiter', seed: 207357, rounds: 1 },
  // First requests of a caller that arrived after their process had settled over a new connection: charged for nobody.
  { name: 'simulate-limiter', seed: 400091, rounds: 1 },
  // A request asked again until its last answer had 125 ms left: it was answered after 251 ms.
  { name: 'simulate-limiter', seed: 564159, rounds: 1 },
  // Asked over a slow line, one question after the other, each in time: it was answered after 469 ms.
  { name: 'simulate-limiter', seed: 8014834, rounds: 1 },
  // The simulated client waited for ever for a subscription that was lost: its process heard of no recall.
  { name: 'simulate-limiter', seed: 779185, rounds: 1 },
  // Not too many, but two minutes: the first had begun with a request whose answer was lost.
  { name: 'simulate-limiter', seed: 779185, rounds: 1 },
  // A process told of its own minute, did not hear the answer, and went on in it: nothing was kept for that.
  { name: 'simulate-limiter', seed: 243287, rounds: 1 },
]
