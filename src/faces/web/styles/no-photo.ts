/** In the place of a photo: a paw, in colors that go with a light page and with a dark one. */
export const NO_PHOTO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 300" width="300" height="300">
<rect width="300" height="300" fill="#a8947b" fill-opacity=".22"/>
<g fill="#a8947b" fill-opacity=".75">
<path d="M150 148c-27 0-54 29-54 53 0 17 13 25 28 25 10 0 17-5 26-5s16 5 26 5c15 0 28-8 28-25 0-24-27-53-54-53z"/>
<ellipse cx="88" cy="146" rx="17" ry="23" transform="rotate(-24 88 146)"/>
<ellipse cx="212" cy="146" rx="17" ry="23" transform="rotate(24 212 146)"/>
<ellipse cx="127" cy="104" rx="18" ry="25" transform="rotate(-7 127 104)"/>
<ellipse cx="173" cy="104" rx="18" ry="25" transform="rotate(7 173 104)"/>
</g>
</svg>
`
