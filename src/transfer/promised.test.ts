import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openForFiles } from '../testing/import-text.ts'
import { withHolds } from './hold-columns.ts'
import { isForLater } from './later.ts'
import { findPromise } from './promised.ts'

// Notes often know more than the status column: that an animal is reserved, adopted or on hold.

const PROMISED = `Reserved for Jane
RESERVED
Reserved until Friday
Sweet girl, loves kids. Reserved by the Lee family!
reserved - Jane 555-0100
adopted by the Smiths, pick-up Friday
Adopted 11/20
ADOPTED!!!
Very playful boy who knows sit and stay. Has been adopted, paperwork on Saturday.
Being adopted by his foster
Will be adopted by the vet tech
Was adopted today
hold for transfer
Held for the Johnson family
HOLD until 12/5 (Mrs. Gray)
On hold for Tom
Currently on medical hold, recheck next week
Vaccinated and chipped; adoption hold; friendly with cats
Adoption pending
Application approved, going home Saturday
Adopter found
Adopter: J. Doe
Adopter will pick up on Sunday
App approved - meet & greet went great
Approved adopter, waiting for spay
Spoken for
Promised to my neighbor
Found her forever home
Has a new home
Goes home with the Parkers on 12/3
On trial with the Nguyen family
Trial adoption until 12/10
Foster to adopt (Miller)
Foster is adopting
Foster family wants to keep him
Foster fail!
Deposit paid
Adoption contract signed
Tagged by Second Chance Rescue
Transferring to Boulder on Monday
Transfer pending
Returned in May. Reserved for Ana since yesterday
Returned from adoption 3/1, reserved for the Lee family
Reservado para Juana
RESERVADA
Reservado por la familia Pérez
Está reservada desde ayer
Apartada para Marta
Muy bueno con niños. Tiene adoptante, se va el viernes
Adoptado por los García
Adoptada el 3/11
Ya está adoptado
Adopción pendiente
En proceso de adopción
Adopción en trámite con la familia Ruiz
Ya tiene familia
Ha encontrado familia
Lo recogen el viernes
Se va con su nueva familia el sábado
Señal pagada
Contrato firmado
Acogida con opción a adopción
Foto pendiente. Preadoptado
Reserva de la familia Gil
Reservado para traslado
Se lo queda su casa de acogida
Reservada familia López
Se fue de prueba el sábado
Reserved Smith family
Foster keeping
Has a home, just waiting on the vet check
Home check passed for Mrs Hill - going Saturday
Rehomed 12/11 to the Browns
Back with owner
Owner found
Propietario localizado
Se lo llevan el domingo
Cedida a otra protectora
En casa de acogida definitiva
Sanctuary resident
Vet hold - dental 12/3
Hold a week
Moved to hold
To be adopted by the Lees on Friday
To be adopted by her foster
Owner hold
Owner requested hold until 12/5
Mother and litter hold
Siblings on court hold
Hold the adoption
We will hold her for Jane
Please hold until Friday
Promised to hold for the Lees
Adult hold
Reserve placed by M Green`

const FREE = `Loves to be held
Likes being held for hours
Does not like to be held by strangers
Can hold his bladder for eight hours
Holds still for nail trims
Will hold a ball for ages
No longer on hold
Off hold since Monday
Stray hold is over
Stray hold expired 11/20
Hold released 5/3
Medical hold lifted
Not on hold
No hold
Household of cats
Stronghold given 11/3
House trained, threshold shy
Reserved with strangers
A bit reserved at first
Quiet, reserved and sweet
Reserved by nature
Reserved around men
Not reserved
No longer reserved
Her kisses are reserved for people she knows
Can be adopted by a family with kids
Should be adopted by an experienced owner
To be adopted with training
Must be adopted to a home without cats
Adopted from Romania by a family that moved
Adopted as a puppy, returned in 2026
Was adopted in 2020 and returned
Adopted by the Smiths, returned after a week
Adoption fell through
Adoption cancelled
Adoption fee waived
Adoption fee paid by a sponsor
Adoption application required
No adoption pending
Adopter must have a fenced yard
Adopters will need patience
Seeking an adopter with a garden
Needs an approved home
Her brother has been adopted
Siblings adopted by the Lees
Adopter backed out. Available again
Application withdrawn
Reservation cancelled
Spay pending
Heartworm test pending
Waiting to find his forever home
Hopes to find a home soon
Has not found a home yet
Until she has found a home she stays in foster
Has a foster home
Ready to go home
Goes home with a bag of food
Looking for foster to adopt
Foster-to-adopt possible
Foster says she is a joy
Foster will keep him until he is adopted
Note to adopters: he needs time
Approved application required
Transferred to foster on 5/3
Loves to hold hands
Returned from foster to adopt
Foster keeping him until he is adopted
Reservado, pero cariñoso
Reserved for experienced homes
To be adopted by the same family as her brother
To be adopted by a quiet family
Can hold until morning
Able to hold for 8 hours
Please hold for more information
Reserved for an active family
Adopters: please read
Not to be rehomed with cats
Owner found him on the street
Going on three years old
Se lleva bien con todos
Has a home check list
Transferred from the county shelter
Transferred to us from LA
Picked up as a stray on Main Street
Good family dog
Reservado con extraños
Es un poco reservada al principio
De carácter reservado
Ya no está reservado
Reserva cancelada
Adopción cancelada
Adopción fallida
Devuelto de adopción
No está reservada
Puede ser adoptado por una familia con niños
Sus hermanos ya están adoptados
Su hermana fue adoptada
Busca familia
Necesita una familia con paciencia
Le gusta que lo cojan
Vacuna pendiente
Fue adoptado en 2020 y devuelto
Tiene muchas ganas de encontrar familia
Apto para adopción
Adopción con contrato`

test('notes that say that an animal is reserved, adopted or on hold are found; harmless notes are not', () => {
  const wrong = [
    ...PROMISED.split('\n').filter((note) => findPromise(note) === undefined),
    ...FREE.split('\n').filter((note) => findPromise(note) !== undefined),
  ]
  assert.deepEqual(wrong, [])
})

test('the last statement of a note counts', () => {
  assert.equal(findPromise('Adopted 3/1. Returned 3/9'), undefined)
  assert.ok(findPromise('Adopted 3/1. Returned 3/9. Reserved for Lee'))
})

test('a note is read up to 10,000 characters', () => {
  assert.ok(findPromise(`${'calm '.repeat(1_900)}. Adopted by Lee.`))
  assert.equal(findPromise(`${'calm '.repeat(2_000)}. Adopted by Lee.`), undefined)
})

test('many long notes are read up to 100,000 characters, and every short note is read', () => {
  const long = (end: string): string => `${'She is calm and kind. '.repeat(450)}${end}`
  const notes = Array.from({ length: 20 }, (_, index) => [
    `Notes ${index}`,
    long(index < 19 ? '' : 'Adopted by Lee.'),
  ])
  const statusWith = (others: object) =>
    withHolds('Available', { ...Object.fromEntries(notes), ...others }, { own: undefined, now: 0 })

  assert.equal(statusWith({}), 'Available')
  assert.equal(statusWith({ Remark: 'Reserved for Jane' }), 'Available, Remark: reserved for')
})

const OPTIONS = { idColumn: undefined, update: false, guessesColumns: true, again: true }

test('an animal whose notes say that it is promised is not published, and the report says why', async (t) => {
  const read = await openForFiles(t, 'own')
  const notes = [...PROMISED.split('\n'), ...FREE.split('\n')].map((note) => `${note}. Weighs about 12 kilos`)
  for (const heading of ['Notes', 'Comentarios', 'Remark']) {
    const rows = notes.map((note, index) => `${heading} ${index},Dog,Available,"${note}"`)
    const { animals, statuses } = await read(
      [`Name,Species,Status,${heading}`, ...rows].join('\n'),
      'csv',
      OPTIONS,
    )
    const ours = animals.filter(({ name }) => name.startsWith(heading))
    const count = PROMISED.split('\n').length
    assert.deepEqual(
      ours.flatMap(({ status }, index) => ((status === undefined) === index < count ? [] : notes[index])),
      [],
    )
    const held = statuses?.filter(({ known }) => !known).reduce((sum, one) => sum + one.count, 0)
    assert.equal(held, count)
  }
  const { statuses } = await read(
    'Name,Species,Status,Notes\nRex,Dog,Available,Reserved for Jane Doe\n',
    'csv',
    OPTIONS,
  )
  assert.deepEqual(
    statuses?.map(({ word }) => word),
    ['Available, Notes: reserved for'],
  )
})

test('a hold in one of several sentences keeps an animal unpublished', async (t) => {
  const read = await openForFiles(t, 'own')
  const rows = [
    '"Sweet girl who knows her name. Bite quarantine until 12/5. Likes toys."',
    '"Came in with two others. Not available. Ask for Ann."',
    '"Mordió a un voluntario, en observación 14 días, muy nervioso"',
    '"Calm and sweet with cats and dogs, bit child in face 11/10"',
    '"Sweet girl who loves everybody and every toy. euth scheduled 11/30"',
    '"Sweet girl who loves everybody and every toy. Not for rehoming"',
    '"Sweet girl who loves everybody and every toy. Bloqueada por sanidad"',
    '"Sweet girl who loves everybody and every toy. Available after spay"',
    '"not avail till spayed, sweet girl who loves everybody and every toy"',
    '"Owner deceased. Sweet girl who loves everybody and every toy."',
    '"Never bitten anyone. Sweet girl who loves everybody and every toy."',
  ]
  const file = ['Name,Species,Status,Notes', ...rows.map((cell) => `Ada,Dog,Available,${cell}`)].join('\n')
  const { animals } = await read(file, 'csv', OPTIONS)
  assert.deepEqual(
    animals.map(({ status }) => status),
    [...Array(9).fill(undefined), 'available', 'available'],
  )
})

test('an animal that is reserved in its status stays reserved', async (t) => {
  const read = await openForFiles(t, 'own')
  const file = 'Name,Species,Status,Notes\nRex,Dog,Adoption pending,Adopted by the Smiths on Friday\n'
  assert.equal((await read(file, 'csv', OPTIONS)).animals[0].status, 'pending')
})

test('a status in the name or at the start of the description keeps an animal unpublished', async (t) => {
  const read = await openForFiles(t, 'own')
  const rows = [
    ['Ada (adoption pending)', '', undefined],
    ['Ben - ADOPTED', '', undefined],
    ['*Cleo* RESERVED', '', undefined],
    ['Dora', 'Reserved! A sweet girl', undefined],
    ['Emil', 'A sweet boy. ADOPTION PENDING', undefined],
    ['Gala (reservada)', '', undefined],
    ['ADOPTED Ida', '', undefined],
    ['Bea - HOLD', '', undefined],
    ['Duke (bite case)', '', undefined],
    ['Max - quarantine until 12/5', '', undefined],
    ['Holden - the great', '', 'available'],
    ['Jo PENDING ADOPTION', '', undefined],
    ['Lea', '*** ADOPTED BY THE LEES *** A sweet girl', undefined],
    ['Mia', 'Mia has been adopted! Thank you all', undefined],
    ['Nia', 'Nia has been adopted. She was returned after a week', 'available'],
    ['Rip', '', 'available'],
    ['ROCKY', 'CALM AND RESERVED WITH STRANGERS', 'available'],
    ['Danger', '', 'available'],
    ['Fred', 'Sweet. Reserved. Shy.', 'available'],
    ['Hope', 'Was adopted by a family that moved.', 'available'],
  ]
  const cells = rows.map(([name, description]) => `${name},Dog,Available,"${description}"`)
  const { animals } = await read(['Name,Species,Status,Description', ...cells].join('\n'), 'csv', OPTIONS)
  const dead = await read('Name,Species,Status\nKim - RIP,Dog,Available\n', 'csv', OPTIONS)
  assert.deepEqual(
    dead.refused.map(({ reason }) => reason),
    ['It has died.'],
  )
  assert.deepEqual(
    animals.map(({ name, status }) => [name, status]),
    rows.map(([name, , status]) => [String(name).replace(/^\*/, ''), status]),
  )
})

test('notes count in files of other programs, but not in the own format', async (t) => {
  const manager = await openForFiles(t, 'shelter-manager')
  const animal = { SHELTERCODE: 'D1', ANIMALNAME: 'Rex', SPECIESNAME: 'Dog' }
  const held = await manager(
    JSON.stringify([{ ...animal, HIDDENANIMALDETAILS: 'Reserved for Jane' }]),
    'json',
  )
  assert.equal(held.animals[0].status, undefined)
  const groups = await openForFiles(t, 'rescuegroups')
  const dog = { id: 1, name: 'Rex', species: 'Dog', status: 'Available', notes: 'adopted by the Smiths' }
  assert.equal((await groups(JSON.stringify(dog), 'ndjson')).animals[0].status, undefined)
  const own = await openForFiles(t, 'own')
  const rex = {
    id: 1,
    name: 'Rex',
    category: 'Dog',
    status: 'available',
    staff: { notes: 'Reserved for Jane' },
  }
  assert.equal((await own(JSON.stringify(rex), 'ndjson')).animals[0].status, 'available')
})

const LATER = `Available after 12/15
available 12/15/26
Avail. 12/15
available approx. 12/15
ready to go home 12/20
Sweet girl who loves to play and naps in the sun, ready to go home on December 20th!
not available until Jan 3
Not ready until January 3rd, 2027
Can't go home until 12/20
can be adopted from 12/20
Available for adoption on 3 Jan
Available in January
available from mid December
adoptable 2026-12-20
Available soon
Ready to go home in 2 weeks
Stray hold until 12/5
Disponible a partir del 20/12
No disponible hasta el 3 de enero
puede irse a partir del 20 de diciembre
No se entrega antes del 3 de enero
disponible en 2 semanas`.split('\n')

const NOW = `Available after 11/15
available 11/15/2026
Available since October
Available after November 1
ready to go home 11/20
not available until Nov 3
Not available until 1/3/2026
can't go home until 11/20
Stray hold until 11/5
Stray hold ends 11/5/26. Bottle fed until 12/15
Disponible desde el 20/10
No disponible hasta el 3 de noviembre
available for adoption at PetSmart on Saturdays, 9-5
Still available. 12/15 vet visit
Available in May 2025
No treats before 12/20
Vaccines due 12/15`.split('\n')

/** A date that has come does not end these. */
const STILL_HELD = `Adopted by the Lees, hold until 11/1
Hold for Tom until 11/5
Bite case, hold until 11/1
Not available 11/1 - 12/15
Hold until further notice`.split('\n')

test('a note with a date on which the animal will be available holds it back until then', () => {
  const read = (text: string, order?: 'day' | 'month') =>
    withHolds('Available', { Notes: text }, { own: undefined, now: Date.UTC(2026, 10, 29), order })
  for (const text of [...LATER, ...STILL_HELD]) assert.notEqual(read(text), 'Available', text)
  for (const text of NOW) assert.equal(read(text), 'Available', text)
  assert.equal(read(LATER[0] ?? ''), 'Available, Notes: not now')
  // The other dates of the file say whether the day comes first.
  assert.deepEqual(
    [read('available 11/12'), read('available 11/12', 'month'), read('available 11/12', 'day')],
    ['Available', 'Available', 'Available, Notes: not now'],
  )
  const pending = withHolds(
    'Adoption pending',
    { Notes: 'ready to go home 12/20' },
    { own: undefined, now: Date.UTC(2026, 10, 29), order: undefined },
  )
  assert.equal(pending, 'Adoption pending')
})

test('an animal that will be available later is published by an import after that day', async (t) => {
  const importText = await openForFiles(t, 'shelter-manager')
  const head = 'ANIMALCODE,ANIMALNAME,ANIMALSPECIES,MOVEMENTTYPE,ANIMALSEX,ANIMALHIDDENDETAILS'
  const file = `${head}\nA1,Rex,Dog,0,Male,Vet check done. Ready to go home 12/20\n`
  const [before, after] = [Date.UTC(2026, 10, 29), Date.UTC(2026, 11, 21)]
  for (const [now, status] of [
    [before, undefined],
    [after, 'available'],
  ] as const) {
    const { animals } = await importText(file, 'csv', { clock: () => now })
    assert.equal(animals[0].status, status)
  }
})

const GONE = `Was a sweet old boy who loved everyone here at the shelter. Passed away in foster on 11/2.
Sadly died in surgery on Monday, the vet could not save him and we are heartbroken.
Euthanized 11/12 due to kidney failure after a long fight with the disease
Crossed the rainbow bridge last week, we miss you sweet boy, run free
Owner reclaimed 11/20 after seeing the post on Facebook, fees were waived by Pam
Sent to rescue partner in Oregon 11/5
Picked up by her new family
Went home with the Smiths 11/20
Home for the holidays with the Lees, trial until Jan 2
Owner has until 12/4 to claim
Not ready yet, needs more meds
Falleció el 3 de noviembre después de una larga enfermedad, lo echaremos de menos
Ya no está, se fue a su casa
Cachorros: se entregan a partir del 20 de diciembre`.split('\n')

const STILL_HERE = `Owner passed away, he is looking for a quiet home
His owner sadly passed away
Came in after her person died
Her previous family's dad passed away
Survived parvo; siblings died
Nearly died of parvo as a pup
mom died giving birth
went home with the Lees but was returned 11/20
Went to her foster home
picked up by animal control as a stray
She went to a rescue event on Saturday and was great
He was too young when he came, now ready
Not ready for a home with kids
Su dueña murió en mayo
El dueño falleció
Sus hermanos murieron
Se fue haciendo más sociable
se entregan desparasitados`.split('\n')

test('notes that say that the animal has died, has left or is not ready hold it back, but not the fate of others', () => {
  const read = (text: string) =>
    withHolds('Available', { Notes: text }, { own: undefined, now: Date.UTC(2026, 10, 29), order: undefined })
  for (const text of GONE) assert.notEqual(read(text), 'Available', text)
  for (const text of STILL_HERE) assert.equal(read(text), 'Available', text)
  const pending = withHolds('Pending', { Notes: GONE[1] }, { own: undefined, now: 0, order: undefined })
  assert.notEqual(pending, 'Pending')
})

test('isForLater reads only the first 30 statements with a date, because reading dates takes long', () => {
  const read = (count: number) =>
    isForLater(`${'available on 11/1 '.repeat(count)}available after 12/20`, { now: Date.UTC(2026, 10, 29) })
  assert.equal(read(29), true)
  assert.equal(read(30), false)
})
