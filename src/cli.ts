import { existsSync } from 'node:fs'
import { runCli } from './cli/program.ts'

// What the environment says wins over the file.
if (existsSync('.env')) process.loadEnvFile()

process.exitCode = await runCli(process.argv, process.env)
