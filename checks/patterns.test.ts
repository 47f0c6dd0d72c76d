import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { scratchFolder } from '../src/testing/start-app.ts'
import { list } from '../torture/lab/random.ts'
import { needs, reportFigure } from '../torture/lab/rounds.ts'

/** Texts without line breaks, because the programs read one per line. */
const TEXTS = list('a@example.org¦Rex¦a..b@x.org¦key-1¦"key 1"¦ä🐕¦a\u0001b¦a\u0085b¦a\u00a0b¦a\tb')

const PATTERNS = new Set<string>()
JSON.parse(readFileSync('openapi.json', 'utf8'), (name, value) => {
  if (name === 'pattern') PATTERNS.add(value)
  return value
})

/** Programs that read the patterns and the texts, line by line, and print 1 or 0 for each pair. */
const GO = `package main
import ("fmt"; "os"; "regexp"; "strings")
func lines(name string) []string { b, _ := os.ReadFile(name); return strings.Split(string(b), "\\n") }
func main() { for _, p := range lines(os.Args[1]) { r := regexp.MustCompile(p); for _, t := range lines(os.Args[2]) {
  if r.MatchString(t) { fmt.Print("1") } else { fmt.Print("0") } } } }`
const JAVA = `import java.nio.file.*; import java.util.regex.*;
public class Main { public static void main(String[] names) throws Exception {
  for (String p : Files.readString(Path.of(names[0])).split("\\n"))
    for (String t : Files.readString(Path.of(names[1])).split("\\n"))
      System.out.print(Pattern.compile(p).matcher(t).find() ? 1 : 0); } }`
const PYTHON = `import re, sys
read = lambda name: open(name, encoding='utf-8', newline='').read().split('\\n')
print(''.join('1' if re.search(p, t) else '0' for p in read(sys.argv[1]) for t in read(sys.argv[2])), end='')`

function assertSameVerdicts(t: TestContext, verdicts: string): void {
  const own = [...PATTERNS].flatMap((pattern) =>
    TEXTS.map((text) => Number(new RegExp(pattern, 'u').test(text))),
  )
  assert.equal(verdicts, own.join(''))
  reportFigure(t, `${PATTERNS.size} patterns on ${TEXTS.length} texts`)
}

for (const [language, command, file, program] of [
  ['Go', ['go', 'run'], 'main.go', GO],
  ['Java', ['java'], 'Main.java', JAVA],
  ['Python', ['python3'], 'main.py', PYTHON],
] as const) {
  const [tool, ...options] = command
  test(`${language} matches every pattern like JavaScript`, needs(tool), (t) => {
    const folder = scratchFolder(t)
    const names = ['patterns', 'texts'].map((name) => join(folder, name))
    for (const [index, lines] of [[...PATTERNS], TEXTS].entries())
      writeFileSync(names[index] as string, lines.join('\n'))
    writeFileSync(join(folder, file), program)
    const env = { ...process.env, GO111MODULE: 'off', GOCACHE: join(folder, 'cache') }
    const verdicts = execFileSync(tool, [...options, join(folder, file), ...names], { encoding: 'utf8', env })
    assertSameVerdicts(t, verdicts)
  })
}

test('Rust matches every pattern like JavaScript', needs('rg'), (t) => {
  const verdicts = [...PATTERNS].flatMap((pattern) =>
    TEXTS.map((input) => {
      const { status, stderr } = spawnSync('rg', ['--text', '-e', pattern], { input, encoding: 'utf8' })
      assert.ok(status === 0 || status === 1, stderr)
      return 1 - status
    }),
  )
  assertSameVerdicts(t, verdicts.join(''))
})
