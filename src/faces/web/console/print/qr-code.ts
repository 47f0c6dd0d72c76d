import { encode } from 'uqr'
import { type Html, html } from '../../../../http/html.ts'

/** Number of light modules around the code, which scanners need (ISO/IEC 18004). */
const BORDER = 4

/** A QR code as a picture. It is readable with 15 % of it damaged, because posters hang outside. */
export function qrCode(address: string, label: string): Html {
  const { size, data } = encode(address, { ecc: 'M', border: BORDER })
  const modules = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><path d="${modules.join('')}"/></svg>`
}
