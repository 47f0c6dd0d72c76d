import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainText } from './html-text.ts'

test('all names of HTML characters are decoded, even if escaped twice or in capitals', () => {
  const texts = {
    'Ni&ntilde;a': 'Niña',
    'Le gustan los ni&ntilde;os y el sof&aacute;. Pesa 3&frac12; kg. 20&deg; o m&aacute;s&hellip;':
      'Le gustan los niños y el sofá. Pesa 3½ kg. 20° o más…',
    'M&uuml;sli, Gr&ouml;&szlig;e M&nbsp;&ndash; 90&nbsp;&euro; &bull; Windows&trade; &reg; &times; 2':
      'Müsli, Größe M – 90 € • Windows™ ® × 2',
    'He&amp;#39;s a &amp;quot;goofball&amp;quot; &amp;amp; a cuddler.': `He's a "goofball" & a cuddler.`,
    '&amp;ntilde; &amp;amp;': 'ñ &',
    '&#241; &#xF1; &#x1F415;': 'ñ ñ 🐕',
    'NI&NTILDE;A &EACUTE;': 'NIÑA É',
    '&lt;p&gt;One&lt;/p&gt; &lt;3': 'One\n <3',
    '&amp;lt;p&amp;gt;One&amp;lt;br&amp;gt;Two': 'One\nTwo',
  }
  for (const [source, text] of Object.entries(texts)) assert.equal(plainText(source), text, source)
})

test('signs that are not HTML stay: a lone <, comparisons, addresses and unknown names', () => {
  const text = 'Weighs < 20 lb, likes <3 kids, a<b. R&D dog; AT&T; 5 &lt; 6.'
  assert.equal(plainText(text), text.replace('&lt;', '<'))
  for (const other of ['a<b and c>d', 'write to <jo@a.example>', 'x &unknown; y', 'Q&A', '<Rex>'])
    assert.equal(plainText(other), other)
  assert.equal(plainText('<p class="x">One</p><b>Two</b><br/>Three<o:p></o:p>'), 'One\nTwo\nThree')
})
