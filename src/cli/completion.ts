import { Argument, type Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { print } from './terminal.ts'

const SHELLS = { bash: forBash, zsh: forZsh, fish: forFish }

const HOW_TO_SWITCH_ON = `
To switch it on:
  bash, in ~/.bashrc:                  source <(adoptable completion bash)
  zsh, in ~/.zshrc behind compinit:    source <(adoptable completion zsh)
  fish, in ~/.config/fish/config.fish: adoptable completion fish | source`

/** Prints what a shell needs to complete the commands and options of this program. */
export function completionCommand(program: Command, { stdout }: CommandContext): void {
  program
    .command('completion')
    .description('print the completion of this command for a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(SHELLS)))
    .addHelpText('after', HOW_TO_SWITCH_ON)
    .action((shell: keyof typeof SHELLS) => print(stdout, SHELLS[shell](pathsOf(program)).trimEnd()))
}

interface Word {
  text: string
  meaning: string
  /** Of an option: what may follow it; undefined when it takes nothing. */
  values?: string[] | undefined
}

/** A command, and what may be typed behind it. */
interface CommandPath {
  /** The words behind `adoptable`, each after a space: ' keys create'. */
  path: string
  words: Word[]
  /** Whether it takes the name of a file. Elsewhere a name of one would only mislead. */
  files: boolean
}

function pathsOf(command: Command, path = ''): CommandPath[] {
  const options = command.createHelp().visibleOptions(command)
  const words = [
    ...command.commands.map((sub) => ({ text: sub.name(), meaning: sub.description() })),
    ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
      argChoices.map((text) => ({ text, meaning: description })),
    ),
    ...options.map(({ long, short, description, required, optional, argChoices }) => ({
      text: long ?? short ?? '',
      meaning: description,
      values: required || optional ? (argChoices ?? []) : undefined,
    })),
  ]
  const files = command.registeredArguments.some((argument) => argument.name() === 'file')
  return [{ path, words, files }, ...command.commands.flatMap((sub) => pathsOf(sub, `${path} ${sub.name()}`))]
}

const textsOf = (words: Word[]): string => words.map(({ text }) => text).join(' ')

/** The lines of a `case` over where somebody stands and the word before. @param offer how to offer words */
function casesOf(paths: CommandPath[], offer: (words: string, files: boolean) => string): string[] {
  const values = paths.flatMap(({ path, words }) =>
    words.flatMap(({ text, values: known }) =>
      known ? [`  '${path} ${text}') ${offer(known.join(' '), known.length === 0)};;`] : [],
    ),
  )
  const words = paths.map(({ path, words: own, files }) => `  '${path} '*) ${offer(textsOf(own), files)};;`)
  // The longest first: the pattern of a command also fits what stands deeper.
  return [...values, ...words.reverse()]
}

function knownPaths(paths: CommandPath[]): string {
  return paths.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join('|')
}

function forBash(paths: CommandPath[]): string {
  return `# Completion of adoptable for bash
_adoptable() {
  local word at= words= files=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in ${knownPaths(paths)}) at="$at $word";; esac
  done
  case "$at \${COMP_WORDS[COMP_CWORD-1]}" in
${casesOf(paths, (words, files) => `words='${words}'${files ? ' files=yes' : ''}`).join('\n')}
  esac
  # Options only once one is begun: bash goes on with files where nothing is offered.
  [[ $files && \${COMP_WORDS[COMP_CWORD]} != -* ]] && words=
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _adoptable adoptable
`
}

function forZsh(paths: CommandPath[]): string {
  return `#compdef adoptable
# Completion of adoptable for zsh
_adoptable() {
  local word at=
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in (${knownPaths(paths)}) at="$at $word";; esac
  done
  case "$at \${words[CURRENT-1]}" in
${casesOf(paths, offerInZsh).join('\n')}
  esac
}
compdef _adoptable adoptable
`
}

function offerInZsh(words: string, files: boolean): string {
  if (!files) return `compadd -- ${words}`
  return words === '' ? '_files' : `if [[ $PREFIX == -* ]]; then compadd -- ${words}; else _files; fi`
}

function forFish(paths: CommandPath[]): string {
  const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
  const lines = paths.flatMap(({ path, words }) =>
    words.map(({ text, meaning, values }) => {
      const what = text.startsWith('--') ? `-l ${text.slice(2)}` : `-a ${text}`
      const follow =
        values === undefined ? '' : values.length > 0 ? ` -x -a ${quoted(values.join(' '))}` : ' -r'
      return `complete -c adoptable -n "__adoptable_at '${path}'" ${what}${follow} -d ${quoted(meaning)}`
    }),
  )
  const withoutFiles = paths.flatMap(({ path, files }) =>
    files ? [] : [`complete -c adoptable -n "__adoptable_at '${path}'" -f`],
  )
  return `# Completion of adoptable for fish
function __adoptable_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    contains -- "$at $word" ${knownPaths(paths).replaceAll('|', ' ')}; and set at "$at $word"
  end
  test "$at" = "$argv[1]"
end
${withoutFiles.join('\n')}
${lines.join('\n')}
`
}
