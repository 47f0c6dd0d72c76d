import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { Db } from '../db/tables.ts'
import { formIn, signIn } from '../testing/console.ts'
import { openStore } from '../testing/import-lines.ts'
import { runCli } from '../testing/process.ts'
import { scratchFolder, startApp, UNLIMITED } from '../testing/start-app.ts'
import { upload } from '../testing/upload.ts'
import { exportAnimals } from '../transfer/export.ts'

// The console and the command read the same files the same way.

const FILES: Record<string, { file: string; from?: string }> = {
  'a report with titles and totals': {
    file: `"Animal Inventory",,
Animal #,Animal Name,Animal Type,Species,Primary Breed,Secondary Breed,Age,Sex,Stage,Intake Date/Time,Hold Reason
A1,Biscuit,Dog,Dog,Beagle,Mix,2 years 3 months,Female,Available,11/13/2025 9:15 AM,
A2,Shadow,Cat,Cat,Domestic Shorthair,,9 months,Male,Available,10/13/2025 1:00 PM,Bite Quarantine
A3,,Small Mammal,Rabbit,,,1 year,Unknown,Adoption Pending,11/01/2025 2:00 PM,
A4,Wally,Wallaby,Wallaby,,,1 year,Male,Available,11/01/2025 2:00 PM,
Total Animals: 4,,`,
  },
  'a Spanish table': {
    file: `Código;Nombre del perro;Especie;Sexo (M/H);F. nacimiento;Situación actual;Bueno con niños;Cuota (€);Observaciones
1;Luna;Perra;H;13/02/2021;En adopción;Sí;80;
2;Thor;Perro;Macho castrado;03/04/2020;Reservado;Mayores de 12 años;80;
3;Roco;Perro;M;aprox. 2020;En adopción;No sé;;Retenido por mordedura
`,
  },
  'open data without names': {
    file: `Animal Id,Animal Type,Animal Breed,Kennel Number,Intake Type,Intake Date,Hold Request
A1,DOG,PIT BULL,LFD 12,STRAY,11/13/2025,
A2,WILDLIFE,RACCOON,,WILDLIFE,11/15/2025,
A3,CAT,DOMESTIC SH/MIX,CT 1,STRAY,11/15/2025,RABIES
`,
  },
  'a file of Petfinder': {
    from: 'petfinder',
    file: `ID,AnimalName,Type,Status,PrimaryBreed,SecondaryBreed,NoKids,Desc,tags
P1,Ni&ntilde;a,Dog,A,Labrador Retriever / Mix,,1,Tom &amp;amp; Jerry,calm
P2,Max,Cat,H,Unknown,,,,
P3,Zed,Dragon,A,,,,,
`,
  },
  'a list of Animal Shelter Manager': {
    from: 'shelter-manager',
    file: `ID,SHELTERCODE,ANIMALNAME,SPECIESNAME,SEXNAME,DATEOFBIRTH,ISHOLD,CRUELTYCASENAME,DECEASEDDATE,SHELTERLOCATIONNAME
1,D1,Rex,Dog,Male,25/12/2021,0,No,,Kennels
2,D2,Ada,Cat,Female,03/04/2022,1,No,,Kennels
3,D3,Ben,Dog,Male,,0,Yes,,Kennels
4,D4,Cy,Dog,Male,,0,No,2025-11-01,Kennels
5,D5,Di,Dog,Female,,0,No,,Quarantine
`,
  },
}

/** The animals of a store, without what the service sets. */
async function animalsIn(db: Db): Promise<unknown[]> {
  const exported = await text(Readable.from(exportAnimals(db, 'ndjson')))
  return exported.split('\n').flatMap((line) => {
    if (line === '') return []
    const { id, createdAt, updatedAt, publishedAt, statusChangedAt, ...animal } = JSON.parse(line)
    return [animal]
  })
}

const figuresOf = (page: string): number[] =>
  [...page.matchAll(/<b>(\d+)<\/b> (?:added|updated|unchanged|skipped)/g)].map(([, figure]) => Number(figure))

for (const [name, { file, from = '' }] of Object.entries(FILES))
  test(`${name}: the preview, the import of the console and the command give the same animals`, async (t) => {
    const app = await startApp(t, { key: UNLIMITED })
    const ana = await signIn(app)
    const preview = await upload(app, ana, file, { from })
    const confirm = '/console/import/confirm'
    const result = await ana.send(confirm, formIn(preview.text, confirm))
    assert.equal(result.status, 200)
    assert.deepEqual(figuresOf(preview.text), figuresOf(result.text))

    const folder = scratchFolder(t)
    const url = `sqlite:${join(folder, 'other.db')}`
    const path = join(folder, 'animals.csv')
    writeFileSync(path, file)
    const args = ['import', path, '--init', '--json', ...(from ? ['--from', from] : [])]
    const { stdout } = await runCli(t, args, { DATABASE_URL: url })
    const { added, updated, unchanged, refused } = JSON.parse(stdout)
    assert.deepEqual([added, updated, unchanged, refused], figuresOf(result.text))
    assert.ok(added > 1)
    assert.deepEqual(await animalsIn((await openStore(t, url)).db), await animalsIn(app.service.context.db))
  })
