import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findEncoding, findMojibake } from './encoding.ts'

/** The encoding of a file that arrives in small pieces. */
function encodingOf(file: string | Buffer) {
  const bytes = typeof file === 'string' ? Buffer.from(file, 'latin1') : file
  return findEncoding(async function* () {
    for (let from = 0; from < bytes.length; from += 3) yield bytes.subarray(from, from + 3)
  })
}

test('the encoding is found by a mark, by valid UTF-8, or by words that make sense', async () => {
  const text = 'name\nChloé — “sweet” 🐕\n'
  const files: [file: string | Buffer, encoding: string][] = [
    [Buffer.from(text), 'utf-8'],
    [Buffer.from(`\uFEFF${text}`), 'utf-8'],
    [Buffer.from(`\uFEFF${text}`, 'utf16le'), 'utf-16le'],
    [Buffer.from(text, 'utf16le'), 'utf-16le'],
    [Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(), 'utf-16be'],
    ['', 'utf-8'],
    ['Chlo\xe9, Mar\xeda, it\x92s, O\x92Malley, ESPA\xd1A \x96 \x80 50, Frontline\x99', 'windows-1252'],
    ['JOS\xc9\x94 JOS\xc9', 'windows-1252'],
    ['Sa\x9aa, c\x9cur, wait\x85then', 'windows-1252'],
  ]
  for (const [file, encoding] of files)
    assert.equal((await encodingOf(file)).encoding, encoding, String(file))
  assert.equal((await encodingOf('Chlo\xe9')).example, 'Chloé')
})

test('words that make no sense in Windows-1252: the import asks the person which encoding is right', async () => {
  await assert.rejects(
    encodingOf('name\rChlo\x8e\r'),
    /windows-1252: ChloŽ, macintosh: Chloé, windows-1250: ChloŽ$/,
  )
  await assert.rejects(encodingOf('Mar\x92a'), /windows-1252: Mar’a, macintosh: María/)
  await assert.rejects(encodingOf('ni\x96o'), /macintosh: niño/)
  await assert.rejects(encodingOf('dog\xd5s'), /macintosh: dog’s/)
  await assert.rejects(encodingOf('Micha\xb3'), /windows-1250: Michał/)
})

test('a file with only some lines in UTF-8 is refused as a whole', async () => {
  await assert.rejects(encodingOf('caf\xc3\xa9\ncaf\xe9\n'), /some lines of the file are UTF-8/)
})

test('texts that another program damaged are found; correct words with the same letters are not', () => {
  const damaged = ['ChloÃ©', 'itâ€™s', 'Â¿Te gusta?', 'EspaÃ±a', 'â\u0080\u0094']
  for (const text of damaged) assert.equal(findMojibake([1, text]), text)
  const story = `Ask Maria, 555-0100, about ${'her '.repeat(10)}cafÃ© ${'and more '.repeat(10)}`
  assert.equal(findMojibake([story]), '… her her her her cafÃ© and more and more…')
  assert.equal(findMojibake(['SÃO PAULO', 'pâté', 'Âge', 'Chloé']), undefined)
})
