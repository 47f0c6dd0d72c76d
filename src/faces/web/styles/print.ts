/** Styles of every page on paper: what a reader needs, in dark letters on white. */
export const PRINT_STYLE = `
@media print {
  :root {
    --back: #fff;
    --panel: #fff;
    --card: #fff;
    --page: #fff;
    --text: #000;
    --muted: #333;
    --link: #000;
  }
  @page { margin: 12mm; }
  .unprinted, .skip, .top, .side, .foot, nav, button, .button, .finder, .filters, .upload, .chips, .back,
  .share, .reach, .apply-link + .hint, form .hint, .thumbs, .pager, .actions, .withdraw,
  .shelter > p:last-child { display: none !important; }
  body, body:has(.side), main { display: block !important; max-width: none; padding: 0 !important; }
  h1 { margin-top: 0; }
  h2, h3 { break-after: avoid; }
  .card, .panel, .animals li, .rows li, tr, img { break-inside: avoid; box-shadow: none; }
  .panel { padding-inline: 0; }
  .animal { display: block; }
  .animal-side { position: static; }
  .strip { display: block; overflow: visible; }
  .slide + .slide { display: none; }
  .slide img { width: auto; max-width: 100%; max-height: 90mm; aspect-ratio: auto; }
  .cards { grid-template-columns: repeat(4, 1fr); }
  textarea { field-sizing: content; border: 0; padding: 0; resize: none; }
  details::details-content { content-visibility: visible; }
}
`

/** Styles of pages that are made to be printed. They fit A4 and Letter. */
export const PAPER_STYLE = `
.bar { justify-content: space-between; }
.paper {
  max-width: 186mm;
  margin: 0 auto 2rem;
  padding: 8mm;
  border: 1px solid var(--line);
  background: #fff;
  color: #000;
}
.paper .facts dt, .paper small { color: #333; }
.paper h1 { margin: 0 0 2mm; font-size: 2.4rem; }
.paper .facts { margin-bottom: 4mm; }
.paper .sent dt { color: #333; font-size: 0.9rem; }
.paper .sent dd { margin: 0 0 2mm; white-space: pre-line; }
.paper a { color: #000; }
.poster { text-align: center; }
.poster .call { margin: 0 0 4mm; font-size: 1.6rem; font-weight: 700; }
.poster > img { width: 100%; height: 110mm; object-fit: contain; }
.poster h1 { margin-top: 4mm; font-size: 3.4rem; }
.poster .traits { margin: 0 0 3mm; font-size: 1.3rem; }
.poster .text { margin: 0 0 4mm; font-size: 1.1rem; }
.end {
  display: flex;
  flex-wrap: wrap;
  gap: 6mm;
  align-items: center;
  justify-content: space-between;
  text-align: left;
}
.end p { margin: 0; }
.code { display: flex; gap: 4mm; align-items: center; max-width: 105mm; }
.code p { margin: 0; }
.qr { flex: none; width: 34mm; height: 34mm; background: #fff; fill: #000; }
.kennel header { display: flex; flex-wrap: wrap; gap: 6mm; justify-content: space-between; }
.kennel header div { flex: 1; min-width: min(70mm, 100%); overflow-wrap: anywhere; }
.kennel header img { width: 60mm; max-width: 100%; height: 45mm; object-fit: contain; }
.kennel .place { margin: 0; font-size: 1.3rem; }
.signatures { display: flex; flex-wrap: wrap; gap: 10mm; margin-top: 22mm; break-inside: avoid; }
.signatures p { flex: 1 1 60mm; margin: 0; padding-top: 1mm; border-top: 1px solid #000; }
@media print {
  .paper { margin: 0; padding: 0; border: 0; }
}
`
