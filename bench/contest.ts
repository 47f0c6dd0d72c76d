import { busyMsOf, megabytesOf } from '../torture/lab/proc.ts'
import { type Exchange, type Figures, load } from './load.ts'
import type { Answers } from './requests.ts'
import type { Bare } from './servers.ts'

// Contestants take turns, so changes of the machine affect all of them. Only wrong or missing answers fail.

/** Requests to one contestant in one measurement. */
export interface Sending {
  exchanges: Exchange[]
  /** Whether each exchange is sent at most once. */
  once?: boolean
  /** Answers for the bare server. Only the answers of the first contestant are used. */
  answers?: Answers
  /** Called with the results. */
  after?(figures: Figures): void
}

export interface Contestant {
  name: string
  /** Resident memory after the start. */
  startMb?: number
  port: number
  pid: number | undefined
  /** Time from the spawn to the first answer. */
  readyMs: number
  /** Requests for a measurement of this duration; undefined if the contestant does not take part. */
  prepare(measurement: string, seconds: number): Promise<Sending | undefined>
  stop(): Promise<void>
}

export interface Round extends Figures {
  /** Resident memory of the server at the end. */
  memoryMb: number
  /** Processor time of the server per answer. */
  cpuMicroseconds: number
}

/** By measurement and contestant, one entry per round. */
export type Rounds = Map<string, Map<string, Round[]>>

export interface Contest {
  /** A server that answers with the same bytes as the first contestant. */
  bare: Bare
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
      const byContestant = await oneRound(contest, measurement, seconds, round)
      const rounds = result.get(measurement)
      for (const [name, figuresOfOne] of byContestant)
        rounds?.set(name, [...(rounds.get(name) ?? []), figuresOfOne])
    }
  }
  return result
}

/** Runs all contestants one after another; the first one changes with the round. */
async function oneRound(contest: Contest, measurement: string, seconds: number, round: number) {
  const { bare, contestants } = contest
  const sent: { name: string; port: number; pid: number | undefined; sending: Sending }[] = []
  for (const { name, port, pid, prepare } of contestants) {
    const sending = await prepare(measurement, seconds)
    if (sending) sent.push({ name, port, pid, sending })
  }
  const [first] = sent
  if (first) {
    await bare.answer(first.sending.answers ?? {})
    const { exchanges, once = false } = first.sending
    sent.unshift({ name: BARE, port: bare.port, pid: bare.pid, sending: { exchanges, once } })
  }
  const turn = round % Math.max(1, sent.length)
  const figures = new Map<string, Round>()
  for (const { name, port, pid, sending } of [...sent.slice(turn), ...sent.slice(0, turn)]) {
    const { exchanges, once = false, after } = sending
    const before = busyMsOf(pid)
    const figuresOfOne = await load(port, exchanges, { seconds, once }).catch((cause: unknown) => {
      throw new Error(`${name}, ${measurement}: ${(cause as Error).message}`, { cause })
    })
    after?.(figuresOfOne)
    const cpuMicroseconds = ((busyMsOf(pid) - before) * 1_000) / figuresOfOne.answers
    figures.set(name, { ...figuresOfOne, memoryMb: megabytesOf(pid, 'now'), cpuMicroseconds })
  }
  return figures
}
