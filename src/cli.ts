import { runCli } from './cli/program.ts'
import { useSourceNames } from './source-names.ts'

useSourceNames()
void runCli(process.argv, process.env).then((code) => {
  process.exitCode = code
})
