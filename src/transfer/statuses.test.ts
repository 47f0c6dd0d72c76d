import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BY_ID, importText, openStore } from '../testing/import-lines.ts'
import { makeKey, scratchStore } from '../testing/start-app.ts'
import type { Format, Mapping } from './animal.ts'
import { MAPPINGS } from './mappings/all.ts'
import { createTableMapping } from './mappings/chosen.ts'
import { createOwnMapping } from './mappings/own.ts'
import { createStatusReader, foldStatus, readStatus, type StatusMeaning } from './statuses.ts'

const MEANINGS: [meaning: StatusMeaning | undefined, words: string][] = [
  [
    'available',
    `✅ Available|Available 🐾|Avail.|Available - URGENT|Disponible (urgente)|Available|Available - In Treatment|Foster -  Available|AVAILABLE|Available For Adoption
Available In Foster Household|Adoptable|For adoption|Available (in foster)|Available: Foster Care|Available!
Available - Adoption Center|Disponible|En adopción|EN ADOPCION|Disponible - en casa de acogida
Disponible (en tratamiento)|Busca hogar|Disponible para adopción|READY_FOR_ADOPTION|Available - PetSmart
Available - bonded pair|readyForAdoption|Available for rehoming|Acogida - Disponible|Se busca hogar
Currently available|Available - Adoption Floor|Adoption - Available|Needs a home|Busco hogar|Se busca familia
Listo para adoptar|Available - Heartworm treatment|En busca de familia`,
  ],
  [
    'pending',
    `Adoption Pending|Hold - Possible Adopt|Foster - To Adopt|Pending|Reserved|Pending Adoption|Adoption hold
Hold – Adopter Pending|Reserved by adopter|Available - Adoption Pending|Foster to Adopt|On Hold (adoption pending)
Adoption Pending - Foster|Trial adoption|Pre-adopted|Application pending|Reservado|reservada
adoptionPending|Pending Adopt|Reservado/a|En preadopción|Reservado/Reservada
En proceso de adopción|Adopción pendiente|Pendiente de adopción|Reservada - posible adopción|Preadoptado
On hold for an adopter|Adopter found|Application approved|Spoken for|Pre-adoption`,
  ],
  [
    'sold',
    `Adopted|ADOPTED|Adopted - Foster|Sold|Rehomed|Adopted out|Adoptado|¡Adoptada!|Dado en adopción|Adoptado/a
Adoptado(a)|Ya adoptada|Adopted 2026-01-05|Adopted on 3 May 2026|Adoptado en mayo de 2026|Found a home
En su nuevo hogar`,
  ],
  [
    'died',
    'Deceased|Deceased In Care|Euthanized|Not available: deceased|Died in foster|Fallecido|Muerta|RIP 11/3|Passed Away|Passed|Passed 11/3/2026|Passed on 3 Nov|Rainbow bridge|Sacrificado|PTS|DOA 3/11|Euthanasia|Unassisted death|Difunta',
  ],
  [
    undefined,
    // The given case.
    `Hold - Bite Q|Hold - Confiscate|Hold - Notify|Foster - Behavior Hold|Foster - Medical Hold
Foster-Evidence Hold|Foster - Confiscate|Foster - Permanent|Foster--Hospice|Foster--Emergency Board
Evidence--Municipal Police|Behavior|Medical|New Intake|Custody Confirmation|Service Out|Transferred Out
Transferred Out -- Pending Acceptance|Released to Colony / Wild|Healthy In Home`,
  ],
  [
    undefined,
    // Words that publish an animal, together with any other word.
    `🔴 Available|Available 🔴|Not Available|Unavailable|Available - Bite Quarantine|Hold - Rabies observation|Adoption Returned
Pending Transfer|Pending Intake|Pending Evaluation|Pending - Stray Hold|Reserved for evidence|Reserved - transfer
Foster - Not available|Available Soon|Available after 12/5|Available?|Available for foster|Available to rescue only
Hold|On Hold|Stray Hold|Foster|Foster - Hold|Pending - Available|Hold - Available for adoption|Adoption on hold
Adoption Pending - Medical Hold|Adoption evaluation hold|Not adopted|Adopted - Available|Adopted - Pending
Adoption cancelled|Adoption - Return pending|Available/Hold|No disponible|No está en adopción|Disponible pronto
Disponible para acogida|Reservado por juzgado|Cuarentena|En cuarentena - reservado|Pendiente de evaluación
Foster - Hold Notify|Foster - WUO|Not Yet Available|notAvailable|onHold|Returned to Owner|Lost in Care|Behavioral Hold
Medical Hold - In Foster|Hold adoption|Hold for adoption|Reserved for rescue|Pending foster|Pending spay|Available - Rescue only
Available - pending spay|In Treatment|En proceso|En tratamiento|Retenido|No adoptado|Adopción cancelada|Intake - owner deceased|Passed temperament test|Euthanasia list|Adopted in March, returned|Adoption room|Hold - Adoption|Adopted - declined|Needs a foster home|Disponible para rescate|Available ❌|||-|N/A`,
  ],
]

test('a status is understood only if all of its words are known; no other status publishes an animal', () => {
  for (const [meaning, words] of MEANINGS)
    for (const word of words.split(/[|\n]/)) assert.equal(readStatus(word), meaning, `"${word}"`)
})

test('a very long status is not understood, and takes no time', () => {
  assert.equal(readStatus(`${' '.repeat(100)}available`), undefined)
  assert.equal(readStatus('available '.repeat(100_000)), undefined)
})

test('statuses are counted, and the choice of a person for a status overrides its words', () => {
  const own = new Map([['h', 'unlisted'] as const])
  const reader = createStatusReader(new Map([[foldStatus('Medical  HOLD'), 'pending']]))

  const words = ['Available', 'medical hold', ' AVAILABLE ', 'H', '', 'Hold']
  assert.deepEqual(
    words.map((word) => reader.read(word, own)),
    ['available', 'pending', 'available', 'unlisted', 'unlisted', 'unlisted'],
  )
  assert.deepEqual(reader.counts(), [
    { word: 'Available', count: 2, result: 'available', known: true, chosen: false },
    { word: 'medical hold', count: 1, result: 'pending', known: true, chosen: true },
    { word: 'H', count: 1, result: 'unlisted', known: true, chosen: false },
    { word: '', count: 1, result: 'unlisted', known: false, chosen: false },
    { word: 'Hold', count: 1, result: 'unlisted', known: false, chosen: false },
  ])
})

test('beyond 200 different statuses, no animal is published unless a person has chosen its status', () => {
  const reader = createStatusReader(new Map([['ready', 'available']]))
  for (let index = 0; index < 250; index += 1) reader.read(`Rex ${index}`)

  assert.deepEqual([reader.read('Available'), reader.read('Ready')], ['unlisted', 'available'])
  const others = reader.counts().find(({ word }) => word === '…')
  assert.deepEqual([reader.counts().length, others?.count], [202, 51])
})

/** Files of all programs, each with an animal for each status. */
function filesWith(
  words: readonly string[],
): Record<string, [mapping: Mapping | undefined, file: string, format: Format]> {
  const csv = (head: string) => [head, ...words.map((word, index) => `${index},Rex,Dog,"${word}"`)].join('\n')
  const json = words.map((word, id) => ({
    id,
    ID: id,
    name: 'Rex',
    Name: 'Rex',
    Type: 'Dog',
    Status: word,
    species: 'Dog',
    status: word,
  }))
  const own = createOwnMapping()
  const chosen = createTableMapping(['No', 'Called', 'Kind', 'State'], {
    columns: new Map([
      [1, 'name'],
      [2, 'category'],
      [3, 'status'],
    ]),
    id: undefined,
  })
  return {
    shelterluv: [MAPPINGS.shelterluv, JSON.stringify({ animals: json }), 'json'],
    'shelterluv (csv)': [MAPPINGS.shelterluv, csv('Animal ID,Name,Species,Status'), 'csv'],
    rescuegroups: [MAPPINGS.rescuegroups, json.map((one) => JSON.stringify(one)).join('\n'), 'ndjson'],
    petfinder: [MAPPINGS.petfinder, csv('ID,AnimalName,Type,Status'), 'csv'],
    'chosen columns': [chosen, csv('No,Called,Kind,State'), 'csv'],
    'own table': [own, csv('no,name,category,status'), 'csv'],
  }
}

test('every program: only animals that are plainly available or reserved by an adopter are published', async (t) => {
  const store = await openStore(t, scratchStore(t))
  const words = [
    'Available',
    'Hold - Bite Q',
    'hold - bite q',
    'Foster-Evidence Hold',
    'Adoption Pending',
    'Adopted',
    'Hospice',
  ]

  for (const [name, [mapping, file, format]] of Object.entries(filesWith(words))) {
    const seen: unknown[] = []
    const { statuses, refused } = await importText(store, file, {
      ...{ format, mapping: mapping as Mapping, dryRun: true },
      statusChoices: new Map([[foldStatus('Hospice'), 'sold']]),
      onValid: (animals) => seen.push(...animals.map(({ pet }) => pet.status)),
    })

    assert.deepEqual(seen, ['available', undefined, undefined, undefined, 'pending', 'sold', 'sold'], name)
    assert.deepEqual(
      statuses?.map(({ word, count, result, known }) => [word, count, result, known]),
      [
        ['Available', 1, 'available', true],
        ['Hold - Bite Q', 2, 'unlisted', false],
        ['Foster-Evidence Hold', 1, 'unlisted', false],
        ['Adoption Pending', 1, 'pending', true],
        ['Adopted', 1, 'sold', true],
        ['Hospice', 1, 'sold', true],
      ],
      name,
    )
    assert.equal(refused, 0)
  }
})

test('an animal whose status becomes a hold or says that it has died is no longer published', async (t) => {
  const url = scratchStore(t)
  await makeKey(url)
  const store = await openStore(t, url)
  const mapping = MAPPINGS.shelterluv as Mapping
  const page = (...words: string[]) =>
    JSON.stringify({ animals: words.map((Status, ID) => ({ ID, Name: 'Rex', Type: 'Dog', Status })) })
  const options = { ...BY_ID, mapping, idColumn: 'ID', format: 'json' } as const
  const statuses = async () =>
    (await store.db.selectFrom('pet').select('status').orderBy('id').execute()).map(({ status }) => status)
  await importText(store, page('Available', 'Adoption Pending', 'Available', 'Available'), options)
  assert.deepEqual(await statuses(), ['available', 'pending', 'available', 'available'])

  const done = await importText(
    store,
    page('Hold - Bite Q', 'Medical Hold', 'Deceased', 'Available'),
    options,
  )

  assert.deepEqual(await statuses(), [null, null, null, 'available'])
  assert.equal(done.takenOff, 3)
})
