import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { billOfMaterials } from './supply-chain-packages.ts'

// npm run sbom

const folder = mkdtempSync(join(tmpdir(), 'adoptable-sbom-'))
try {
  console.log(JSON.stringify(billOfMaterials(folder), undefined, 2))
} finally {
  rmSync(folder, { recursive: true })
}
