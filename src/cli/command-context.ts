import type { Settings } from './settings.ts'
import type { Streams } from './terminal.ts'

/** What a command may use of the process that runs it. */
export interface CommandContext extends Streams {
  settings: Settings
  /** A command reads its settings; this is for what else the environment says. */
  environment: NodeJS.ProcessEnv
}
