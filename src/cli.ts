import { runCli } from './cli/program.ts'

void runCli(process.argv, process.env).then((code) => {
  process.exitCode = code
})
