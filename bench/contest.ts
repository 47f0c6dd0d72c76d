import type { Answers } from './answers.ts'
import { type Exchange, type Figures, load } from './load.ts'
import { type Bare, computedMs, type Memory, memoryOf } from './servers.ts'

// Contestants in turns, so that all meet the same moods of the machine. Nothing is judged here: it fails only
// when an answer was wrong or missing.

/** What one contestant is sent in one measurement. */
export interface Sending {
  exchanges: Exchange[]
  /** Each exchange is sent once at most. */
  once?: boolean
  /** What the bare server answers beside it; only the first contestant's count. */
  answers?: Answers
  /** Told of the answers that came. */
  after?(figures: Figures): void
}

export interface Contestant {
  name: string
  /** Of what it is made. */
  made?: string
  port: number
  pid: number | undefined
  /** From its spawn to its first answer, in milliseconds. */
  readyMs?: number[]
  /** What is to be sent, for so many seconds; nothing where the contestant takes no part. */
  prepare(measurement: string, seconds: number): Promise<Sending | undefined>
  stop(): Promise<void>
}

export interface Round extends Figures {
  memory: Memory
  /** What the server computed for each answer, whoever else was at work on the machine. */
  cpuMicroseconds: number
}

/** By measurement and contestant, one a round. */
export type Rounds = Map<string, Map<string, Round[]>>

export interface Contest {
  /** Answers every measurement with the same bytes as the first contestant. */
  bare?: Bare
  contestants: Contestant[]
  measurements: string[]
  rounds: number
  seconds: number
  warmUpSeconds: number
}

export const BARE = 'bare node:http'

export async function compete(contest: Contest): Promise<Rounds> {
  const { measurements, rounds, seconds, warmUpSeconds } = contest
  const result: Rounds = new Map(measurements.map((name) => [name, new Map()]))
  for (const measurement of measurements) await oneRound(contest, measurement, warmUpSeconds, 0)
  for (let round = 0; round < rounds; round += 1) {
    for (const measurement of measurements) {
      const ofAll = await oneRound(contest, measurement, seconds, round)
      const rounds = result.get(measurement)
      for (const [name, ofOne] of ofAll) rounds?.set(name, [...(rounds.get(name) ?? []), ofOne])
    }
  }
  return result
}

/** All right after each other; who is first changes with the round. */
async function oneRound(contest: Contest, measurement: string, seconds: number, round: number) {
  const { bare, contestants } = contest
  const sent: { name: string; port: number; pid: number | undefined; sending: Sending }[] = []
  for (const { name, port, pid, prepare } of contestants) {
    const sending = await prepare(measurement, seconds)
    if (sending) sent.push({ name, port, pid, sending })
  }
  const [first] = sent
  if (bare && first) {
    await bare.answer(first.sending.answers ?? {})
    const { exchanges, once = false } = first.sending
    sent.unshift({ name: BARE, port: bare.port, pid: bare.pid, sending: { exchanges, once } })
  }
  const turn = round % Math.max(1, sent.length)
  const figures = new Map<string, Round>()
  for (const { name, port, pid, sending } of [...sent.slice(turn), ...sent.slice(0, turn)]) {
    const { exchanges, once = false, after } = sending
    const before = computedMs(pid)
    const ofOne = await load(port, exchanges, { seconds, once }).catch((cause: unknown) => {
      throw new Error(`${name}, ${measurement}: ${(cause as Error).message}`, { cause })
    })
    after?.(ofOne)
    const cpuMicroseconds = ((computedMs(pid) - before) * 1_000) / ofOne.answers
    figures.set(name, { ...ofOne, memory: memoryOf(pid), cpuMicroseconds })
  }
  return figures
}
