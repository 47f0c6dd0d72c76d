/** Of the pages of one animal, and of one shelter. */
export const ANIMAL_STYLE = `
.button.big { padding: 0.8rem 1.6rem; font-size: 1.1rem; }
.animal {
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  gap: 0 2.5rem;
}
.back { margin: 0.9rem 0; font-size: 0.95rem; }
.back a::before { content: '← '; }
.animal h1 { margin: 1rem 0 0.25rem; }
.animal .lead { margin: 0; }
.animal-head > .muted { margin: 0.1rem 0 1rem; }
.animal-head .panel { margin-top: 1rem; }
.panel > :last-child { margin-bottom: 0; }
.panel ul { padding-left: 1.2rem; }
.animal-head .panel h2 { font-size: 1.1rem; }
.animal-head .panel p { margin-bottom: 0; }
.animal-head .panel ul { margin-top: 0.25rem; }
.animal-facts .facts { grid-template-columns: minmax(0, 9fr) minmax(0, 11fr); }
.animal-facts { margin-top: 1.25rem; }
.animal-text p { max-width: 42rem; font-size: 1.06rem; }
.animal-adopt .shelter { margin-top: 1.5rem; }
.shelter-name { margin-top: 0; font-size: 1.1rem; font-weight: 600; }
.facts dt { font-weight: normal; }
.facts dd { font-weight: 500; min-width: 0; }
.facts small { font-weight: normal; }
.panel .tags, .tags, .inline {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem;
  margin: 1rem 0 0;
  padding: 0;
  list-style: none;
}
.panel .inline { padding: 0; }
.inline { margin: 0; gap: 0.25rem 1rem; }
.panel .tag { background: var(--card); border: 1px solid var(--edge); }
.policy { margin: 0 0 1rem; }
.strip {
  display: flex;
  overflow-x: auto;
  scroll-snap-type: x mandatory;
  border-radius: 14px;
  scrollbar-width: thin;
  overscroll-behavior-x: contain;
}
.slide { flex: 0 0 100%; scroll-snap-align: start; scroll-margin-top: 1rem; }
.slide img {
  display: block;
  width: 100%;
  aspect-ratio: 4 / 3;
  object-fit: contain;
  border-radius: 14px;
  background: var(--panel);
}
.no-photo img { object-fit: cover; }
.thumbs {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem;
  margin: 0.6rem 0 0;
  padding: 0;
  list-style: none;
}
.thumbs a { display: block; border: 2px solid transparent; border-radius: 10px; padding: 2px; }
.thumbs a[aria-current] { border-color: var(--strong); }
.thumbs img { display: block; width: 64px; height: 64px; object-fit: cover; border-radius: 7px; }
.shelter-about { display: grid; gap: 1.25rem; grid-template-columns: minmax(0, 1fr); }
.shelter-about h2 { margin-top: 0; }
.shelter-text { max-width: 42rem; }
@media (min-width: 60rem) {
  .animal {
    grid-template-columns: minmax(0, 42rem) minmax(18rem, 1fr);
    grid-template-rows: repeat(5, auto) 1fr;
  }
  .animal-photos, .animal-text, .animal-adopt { grid-column: 1; }
  .animal-head, .animal-facts { grid-column: 2; }
  .animal-photos { grid-row: 1 / 4; }
  .animal-head { grid-row: 1; }
  .animal-facts { grid-row: 2 / 7; align-self: start; }
  .animal-head h1 { margin-top: 0; }
  .shelter-about { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
  .shelter-photos { grid-row: span 2; }
}
`
