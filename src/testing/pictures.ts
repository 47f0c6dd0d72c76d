import sharp from 'sharp'

interface Drawn {
  width?: number
  height?: number
  type?: 'jpeg' | 'png' | 'webp' | 'avif' | 'gif'
  /** Two pictures of different numbers are different. */
  number?: number
  /** As EXIF has it: 1 is upright, 6 is lying on its right side. */
  orientation?: number
  /** Put wherever a file can tell more than its picture: EXIF, with a place, ICC and XMP. */
  told?: string
}

/** A picture as a camera makes one: red above, and below it a colour of its own. */
export async function picture({
  width = 60,
  height = 40,
  type = 'jpeg',
  ...more
}: Drawn = {}): Promise<Buffer> {
  const { number = 0, orientation, told } = more
  const below = { r: 0, g: (number * 12) % 256, b: 255 - ((number * 8) % 256) }
  let made = sharp({ create: { width, height, channels: 3, background: below } }).composite([
    {
      input: {
        create: { width, height: Math.ceil(height / 2), channels: 3, background: { r: 255, g: 0, b: 0 } },
      },
      gravity: 'north',
    },
  ])
  if (told !== undefined) {
    const IFD0 = { Copyright: told, Make: told }
    const IFD3 = { GPSLatitudeRef: 'N', GPSLatitude: '52/1 5/1 24/1', GPSDateStamp: '2026:12:01' }
    made = made
      .withExif({ IFD0, IFD3 })
      .withIccProfile('p3')
      .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><told>${told}</told></x:xmpmeta>`)
  }
  if (orientation !== undefined) made = made.withMetadata({ orientation })
  return made.toFormat(type).toBuffer()
}

export const JPEG = { 'content-type': 'image/jpeg' }
