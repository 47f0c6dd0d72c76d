import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import pino from 'pino'
import { readableLog } from './log.ts'

test('the log on a terminal: one line per event with its values, and the stack of an error', () => {
  const terminal = new PassThrough({ encoding: 'utf8' })
  const logger = pino({ base: null }, readableLog(terminal))
  logger.info({ path: '/v1/pets\u001b[31m', status: 200 }, 'request')
  logger.error({ err: new Error('the disk is full') }, 'saving failed')

  const lines = stripVTControlCharacters(terminal.read()).split('\n')
  assert.match(lines[0] ?? '', /^\S.* info request path="\/v1\/pets\\u001b\[31m" status=200$/)
  assert.match(lines[1] ?? '', /^\S.* error saving failed$/)
  assert.match(lines[2] ?? '', /^Error: the disk is full$/)
  assert.match(lines[3] ?? '', /^ {4}at .*log\.test\.ts/)
})
