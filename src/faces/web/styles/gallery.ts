/** Of the gallery alone. */
export const GALLERY_STYLE = `
.cards {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr));
  gap: 1.25rem;
  padding: 0;
  list-style: none;
}
`
