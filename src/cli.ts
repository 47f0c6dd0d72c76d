import { runCli } from './cli/program.ts'
import { nameSources } from './source-names.ts'

nameSources()
void runCli(process.argv, process.env).then((code) => {
  process.exitCode = code
})
