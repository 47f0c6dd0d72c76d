import sharp from 'sharp'

interface PictureOptions {
  width?: number
  height?: number
  type?: 'jpeg' | 'png' | 'webp' | 'avif' | 'gif'
  /** Pictures with different numbers have different bytes. */
  number?: number
  /** The EXIF orientation: 1 is upright, 6 is rotated. */
  orientation?: number
  /** A text to add to the metadata (EXIF and XMP), together with GPS coordinates and an ICC profile. */
  metadata?: string
}

/** Makes an image whose upper half is red; `number` determines the color of the lower half. */
export async function picture({
  width = 60,
  height = 40,
  type = 'jpeg',
  ...more
}: PictureOptions = {}): Promise<Buffer> {
  const { number = 0, orientation, metadata } = more
  const below = { r: 0, g: (number * 12) % 256, b: 255 - ((number * 8) % 256) }
  let made = sharp({ create: { width, height, channels: 3, background: below } }).composite([
    {
      input: {
        create: { width, height: Math.ceil(height / 2), channels: 3, background: { r: 255, g: 0, b: 0 } },
      },
      gravity: 'north',
    },
  ])
  if (metadata !== undefined) {
    const IFD0 = { Copyright: metadata, Make: metadata }
    const IFD3 = { GPSLatitudeRef: 'N', GPSLatitude: '52/1 5/1 24/1', GPSDateStamp: '2026:12:01' }
    made = made
      .withExif({ IFD0, IFD3 })
      .withIccProfile('p3')
      .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><text>${metadata}</text></x:xmpmeta>`)
  }
  if (orientation !== undefined) made = made.withMetadata({ orientation })
  return made.toFormat(type).toBuffer()
}

export const JPEG = { 'content-type': 'image/jpeg' }
