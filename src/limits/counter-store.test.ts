import assert from 'node:assert/strict'
import { test } from 'node:test'
import { counterStoreOf } from './counter-store.ts'

const FILE = 'sqlite:data/adoptable.db'

test('counterStoreOf returns host, port and database for every spelling of the URL, without the password', () => {
  for (const [url, store] of [
    ['redis://Redis.example', 'redis.example:6379/0'],
    ['rediss://user:secret@redis.example:6380/2', 'redis.example:6380/2'],
    ['redis://:secret@redis.example/?db=03', 'redis.example:6379/3'],
    ['redis://[::1]:7000/0', '[::1]:7000/0'],
    ['redis://localhost', 'localhost:6379/0'],
  ] as const)
    assert.equal(counterStoreOf(url, FILE, 'web-1'), store)
})

test('counterStoreOf for a loopback Redis with a shared PostgreSQL includes the name of the machine', () => {
  const on = (machine: string, host: string) =>
    counterStoreOf('redis://localhost', `postgres://adoptable@${host}/adoptable`, machine)
  assert.equal(on('web-1', 'db.example'), 'localhost:6379/0 on web-1')
  assert.equal(on('web-2', 'db.example'), 'localhost:6379/0 on web-2')
  for (const host of ['127.0.0.1:5432', 'localhost', '[::1]'])
    assert.equal(on('web-1', host), 'localhost:6379/0')
  const socket = 'postgres:///adoptable?host=/var/run/postgresql'
  assert.equal(counterStoreOf('redis://127.0.0.1', socket, 'web-1'), '127.0.0.1:6379/0')
  const shared = counterStoreOf('redis://redis.example', 'postgres://db.example/adoptable', 'web-1')
  assert.equal(shared, 'redis.example:6379/0')
})
