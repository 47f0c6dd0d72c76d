/** The appearance of an animal in a drawing. */
export interface Looks {
  kind: 'dog' | 'cat' | 'rabbit'
  /** The CSS color of the fur. */
  fur: string
  /** The CSS color of patches, ears and nose. */
  second: string
  backdrop: string
  /** Ears that hang instead of standing. */
  hanging?: boolean
  /** A patch over one eye. */
  patch?: boolean
  stripes?: boolean
}

const WIDTH = 1_200
const HEIGHT = 900

/** Draws the face of an animal as an SVG. */
export function drawAnimal(looks: Looks): string {
  const { fur, second, backdrop, patch, stripes } = looks
  const parts = [
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="${backdrop}"/>`,
    `<circle cx="600" cy="520" r="430" fill="#ffffff" opacity="0.35"/>`,
    // Shoulders.
    `<path d="M330 900 C330 700 870 700 870 900 Z" fill="${fur}"/>`,
    EARS[looks.kind](looks),
    HEADS[looks.kind](fur),
    patch && `<ellipse cx="480" cy="460" rx="95" ry="110" fill="${second}"/>`,
    stripes && stripesOn(second),
    eye(480),
    eye(720),
    MUZZLES[looks.kind](looks),
  ]
  const shapes = parts.filter(Boolean).join('')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}">${shapes}</svg>`
}

type Draw = (looks: Looks) => string

const both = (shape: string): string => `${shape}<g transform="matrix(-1 0 0 1 ${WIDTH} 0)">${shape}</g>`

const EARS: Record<Looks['kind'], Draw> = {
  dog: ({ hanging, second, fur }) =>
    hanging
      ? both(`<path d="M395 330 C250 300 230 560 300 680 C380 700 430 560 430 420 Z" fill="${second}"/>`)
      : both(
          `<path d="M380 400 L350 150 L540 280 Z" fill="${fur}"/>` +
            `<path d="M400 350 L385 210 L480 285 Z" fill="${second}"/>`,
        ),
  cat: ({ second, fur }) =>
    both(
      `<path d="M350 420 L345 150 L560 270 Z" fill="${fur}"/>` +
        `<path d="M378 360 L375 210 L490 280 Z" fill="${second}"/>`,
    ),
  rabbit: ({ hanging, second, fur }) =>
    hanging
      ? both(
          `<path d="M450 300 C300 260 220 480 260 720 C340 760 420 600 480 380 Z" fill="${fur}"/>` +
            `<path d="M430 350 C340 340 290 500 310 660 C360 660 400 540 440 400 Z" fill="${second}"/>`,
        )
      : both(
          `<ellipse cx="490" cy="210" rx="70" ry="200" fill="${fur}"/>` +
            `<ellipse cx="490" cy="220" rx="36" ry="150" fill="${second}"/>`,
        ),
}

const HEADS: Record<Looks['kind'], (fur: string) => string> = {
  dog: (fur) => `<ellipse cx="600" cy="520" rx="270" ry="280" fill="${fur}"/>`,
  cat: (fur) => `<ellipse cx="600" cy="520" rx="290" ry="250" fill="${fur}"/>`,
  rabbit: (fur) => `<ellipse cx="600" cy="540" rx="250" ry="250" fill="${fur}"/>`,
}

const eye = (x: number): string =>
  `<ellipse cx="${x}" cy="470" rx="40" ry="46" fill="#201a15"/><circle cx="${x + 13}" cy="452" r="13" fill="#ffffff"/>`

const MUZZLES: Record<Looks['kind'], Draw> = {
  dog: ({ second }) =>
    `<ellipse cx="600" cy="650" rx="150" ry="120" fill="#fffaf2" opacity="0.9"/>` +
    `<ellipse cx="600" cy="590" rx="56" ry="42" fill="#2a211b"/>` +
    `<path d="M600 632 V690 M600 690 C560 730 520 720 510 690 M600 690 C640 730 680 720 690 690" ${LINE}/>` +
    `<path d="M570 712 C575 775 625 775 630 712 Z" fill="#e58a8a"/>` +
    `<circle cx="530" cy="650" r="6" fill="${second}"/><circle cx="670" cy="650" r="6" fill="${second}"/>`,
  cat: () =>
    `<path d="M565 580 H635 L600 620 Z" fill="#d98880"/>` +
    `<path d="M600 620 V650 M600 650 C570 685 540 675 530 655 M600 650 C630 685 660 675 670 655" ${LINE}/>` +
    both(`<path d="M500 620 L330 590 M500 640 L325 645 M500 660 L335 700" ${WHISKER}/>`),
  rabbit: () =>
    `<ellipse cx="545" cy="650" rx="70" ry="58" fill="#fffaf2" opacity="0.85"/>` +
    `<ellipse cx="655" cy="650" rx="70" ry="58" fill="#fffaf2" opacity="0.85"/>` +
    `<path d="M570 590 H630 L600 622 Z" fill="#d98880"/>` +
    `<rect x="576" y="668" width="23" height="52" rx="6" fill="#ffffff"/>` +
    `<rect x="601" y="668" width="23" height="52" rx="6" fill="#ffffff"/>`,
}

const LINE = 'fill="none" stroke="#2a211b" stroke-width="9" stroke-linecap="round"'
const WHISKER = 'fill="none" stroke="#3a3029" stroke-width="5" stroke-linecap="round" opacity="0.7"'

function stripesOn(color: string): string {
  const above = [540, 600, 660].map(
    (x) => `<path d="M${x} 285 V${x === 600 ? 390 : 360}" ${strokeOf(color)}/>`,
  )
  return above.join('') + both(`<path d="M325 520 L410 535 M330 590 L405 590" ${strokeOf(color)}/>`)
}

const strokeOf = (color: string): string =>
  `fill="none" stroke="${color}" stroke-width="26" stroke-linecap="round"`
