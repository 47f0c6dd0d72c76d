import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AGES, SEXES, SIZES } from '../../../transfer/word-lists.ts'
import { textsOf } from './texts.ts'

for (const language of ['en', 'es'] as const) {
  test(`an import reads every age, sex and size as the ${language} pages show it`, () => {
    const { age, sex, size, feminine } = textsOf(language).common
    for (const [labels, words] of [
      [age, AGES],
      [sex, SEXES],
      [size, SIZES],
    ] as const)
      for (const [value, label] of Object.entries(labels))
        for (const text of [label, feminine[label] ?? label])
          assert.equal(words.get(text.toLowerCase()), value, text)
  })
}
