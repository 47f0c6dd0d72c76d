import sharp from 'sharp'

/** What a phone takes: 12 megapixels. */
const [WIDTH, HEIGHT] = [4_000, 3_000]
const MARKER = Buffer.from([0xff, 0xfe])

/** A picture as large and as detailed as a phone's: soft noise over a gradient, some megabytes of JPEG. */
export async function photograph(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 34 } as const
  const grain = { width: WIDTH, height: HEIGHT, channels: 3, background: 'gray', noise } as const
  const sky = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">` +
      '<linearGradient id="g" x2="0" y2="1"><stop stop-color="#48c"/><stop offset="1" stop-color="#263"/>' +
      '</linearGradient><rect width="100%" height="100%" fill="url(#g)"/></svg>',
  )
  const soft = await sharp({ create: grain }).blur(1.1).png({ compressionLevel: 0 }).toBuffer()
  return sharp(soft)
    .composite([{ input: sky, blend: 'soft-light' }])
    .jpeg({ quality: 92 })
    .toBuffer()
}

/** The same picture as other bytes: with a comment behind its first marker (ITU T.81, B.2.4.5). */
export function another(jpeg: Buffer, number: number): Buffer {
  const text = Buffer.from(`photo ${number}`)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(text.length + 2)
  return Buffer.concat([jpeg.subarray(0, 2), MARKER, length, text, jpeg.subarray(2)])
}
