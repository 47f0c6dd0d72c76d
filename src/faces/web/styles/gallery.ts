export const GALLERY_STYLE = `
:root {
  --edge: #e3dacb;
  --card: #ffffff;
  --shade: 0 1px 2px rgb(60 40 20 / 8%), 0 4px 14px rgb(60 40 20 / 7%);
}
@media (prefers-color-scheme: dark) {
  :root { --edge: #3b342a; --card: #211c16; --shade: none; }
}
.top { border-bottom: 1px solid var(--edge); background: var(--card); }
.bar .home {
  display: inline-flex;
  align-items: center;
  gap: 0.5rem;
  font-size: 1.2rem;
  letter-spacing: -0.01em;
}
.bar nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; }
.logo { color: var(--strong); }
.logo .heart { fill: var(--card); }
.foot {
  margin-top: 2rem;
  border-color: var(--edge);
  display: flex;
  flex-wrap: wrap;
  gap: 0 2rem;
}
.foot p { margin: 0.25rem 0; }
h1 { font-size: clamp(1.7rem, 1.3rem + 1.8vw, 2.5rem); letter-spacing: -0.02em; }
.lead {
  margin: 0 0 1.25rem;
  font-size: clamp(1rem, 0.95rem + 0.3vw, 1.15rem);
  max-width: 42rem;
}
.muted { color: var(--muted); }
.panel { padding: 1.1rem 1.25rem; border-radius: 14px; background: var(--panel); }
.panel h2 { margin-top: 0; }
.finder {
  margin: 0 0 1.25rem;
  padding: 1rem 1.25rem;
  border-radius: 14px;
  background: var(--panel);
}
.finder .field { margin: 0; }
.finder input, .finder select { min-height: 2.75rem; }
.finder-main .field { min-height: 4.3rem; }
.finder select { padding-inline: 0.4rem 0; }
.finder input[type='checkbox'] { min-height: 0; accent-color: var(--strong); }
::placeholder { color: var(--muted); opacity: 1; }
.finder-main {
  display: grid;
  gap: 0.75rem 1rem;
  grid-template-columns: repeat(2, minmax(0, 1fr));
  align-items: end;
}
.finder-main > :first-child, .finder-main > .wrong { grid-column: 1 / -1; }
.finder details { margin-top: 0.75rem; }
.finder summary, .policy summary, .withdraw summary {
  padding: 0.4rem 0;
  font-weight: 600;
  cursor: pointer;
  color: var(--link);
}
.finder-more {
  display: grid;
  gap: 1rem;
  padding: 0.5rem 0 1rem;
  grid-template-columns: minmax(0, 1fr);
}
.finder fieldset { margin: 0; }
.checks { display: flex; flex-wrap: wrap; gap: 0 1.1rem; align-content: start; }
.checks legend { margin-bottom: 0.1rem; }
.chips {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem;
  align-items: center;
  margin: 0 0 1.25rem;
  padding: 0;
  list-style: none;
}
.chip {
  display: inline-block;
  padding: 0.25rem 0.8rem;
  border: 1px solid var(--line);
  border-radius: 2rem;
  color: var(--text);
  text-decoration: none;
}
.chip:hover { border-color: var(--strong); }
.list-head {
  display: flex;
  flex-wrap: wrap;
  gap: 0.25rem 1.5rem;
  margin: 0 0 0.75rem;
}
.list-head p { margin: 0; min-height: 1.55em; font-weight: 600; }
.list-head [aria-current] { color: var(--text); font-weight: 600; text-decoration: none; }
.cards {
  display: grid;
  grid-template-columns: repeat(2, minmax(0, 1fr));
  gap: 0.75rem;
  margin: 0;
  padding: 0;
  list-style: none;
}
.card {
  position: relative;
  padding-bottom: 0.8rem;
  border: 1px solid var(--edge);
  border-radius: 14px;
  overflow: hidden;
  background: var(--card);
  box-shadow: var(--shade);
}
.card:hover { border-color: var(--line); }
.card img {
  display: block;
  width: 100%;
  aspect-ratio: 1;
  object-fit: cover;
  background: var(--panel);
}
.card h2, .card h3 { margin: 0.7rem 0.8rem 0.1rem; font-size: 1.1rem; }
.card p { margin: 0 0.8rem; font-size: 0.92rem; line-height: 1.4; }
.card .muted { margin-top: 0.15rem; font-size: 0.88rem; }
.card h2, .card h3, .card p {
  overflow-wrap: anywhere;
  display: -webkit-box;
  -webkit-box-orient: vertical;
  -webkit-line-clamp: 2;
  overflow: hidden;
}
.card a { color: var(--text); text-decoration: none; }
.card a::after { content: ''; position: absolute; inset: 0; border-radius: 14px; }
.card a:hover { text-decoration: underline; }
.card a:focus-visible { outline: none; }
.card a:focus-visible::after { outline: 3px solid var(--strong); outline-offset: -3px; }
.badge {
  position: absolute;
  top: 0.6rem;
  left: 0.6rem;
  padding: 0.1rem 0.7rem;
  border-radius: 2rem;
  background: var(--text);
  color: var(--back);
  font-size: 0.85rem;
  font-weight: 600;
}
.pages {
  display: flex;
  flex-wrap: wrap;
  gap: 0.75rem 1rem;
  align-items: center;
  justify-content: center;
  margin: 2rem 0 0;
}
.empty {
  padding: 2rem 1.25rem;
  border: 1px dashed var(--line);
  border-radius: 14px;
  text-align: center;
}
.empty h2 { margin-top: 0; }
.compact .card h2 { font-size: 1rem; }
@media (max-width: 30rem) {
  .bar nav { flex-basis: 100%; }
  .finder-main > * { grid-column: 1 / -1; }
}
@media (max-width: 34rem) {
  h1 { margin: 1rem 0 0.5rem; }
  .lead { margin-bottom: 0.75rem; }
  .finder { margin-bottom: 0.75rem; padding: 0.75rem 1rem 0.5rem; }
  .finder details { margin-top: 0.25rem; }
  /* One line to search. The other fields appear with the filters. */
  .finder:not(:has(details[open])) .finder-main { grid-template-columns: minmax(0, 1fr) 6.5rem; }
  .finder:not(:has(details[open])) label { white-space: nowrap; }
  .list-head nav { flex-basis: 100%; }
  .finder:not(:has(details[open])) .finder-main > :nth-child(n) { grid-column: auto; }
  .finder:not(:has(details[open])) .finder-main > .field:not(:first-child) { display: none; }
}
@media (min-width: 34.01rem) {
  .cards { grid-template-columns: repeat(auto-fill, minmax(13.5rem, 1fr)); gap: 1.25rem; }
  .compact { grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); gap: 0.75rem; }
  .finder-more { grid-template-columns: repeat(3, minmax(0, 1fr)); }
}
@media (min-width: 60rem) {
  .finder-main {
    grid-template-columns: minmax(0, 2fr) minmax(0, 1.3fr) minmax(0, 1.7fr) minmax(0, 1.2fr) 6.5rem;
  }
  .finder-main > :first-child, .finder-main > .wrong { grid-column: auto; }
}
@media (prefers-reduced-motion: no-preference) {
  .card { transition: border-color 0.15s; }
}

.button.big { padding: 0.8rem 1.6rem; font-size: 1.1rem; text-align: center; }
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
.share { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 1rem 0 0; }
.share > * {
  display: inline-flex;
  gap: 0.35rem;
  align-items: center;
  padding: 0.4rem 0.8rem;
  font-size: 0.95rem;
}
/* Takes its space from the start, so the page does not move when the script shows it. */
.scripted { visibility: hidden; }
.heart {
  position: absolute;
  top: 0.4rem;
  right: 0.4rem;
  width: 2.75rem;
  padding: 0;
  border: 0;
  border-radius: 50%;
  background: rgb(255 255 255 / 85%);
  color: #8a3b12;
  font-size: 1.4rem;
  line-height: 1;
}
button[data-favorite]::before { content: '♡'; }
button[data-favorite][aria-pressed='true']::before { content: '♥'; }
.bar nav a { white-space: nowrap; }
/* Keeps the link to apply in view. */
.reach {
  position: sticky;
  bottom: 0;
  z-index: 2;
  margin: 1.5rem calc(-1 * var(--space)) 0;
  padding: 0.6rem var(--space);
  border-top: 1px solid var(--edge);
  background: var(--back);
}
.reach .button { width: 100%; padding-inline: 0.5rem; font-size: 1rem; }
@media (max-width: 59.99rem) {
  html:has(.reach) { scroll-padding-bottom: 5.5rem; }
  .apply-link, .animal-head .apply-link + .hint { display: none; }
}
.others { margin-top: 2rem; }
.compare-form { margin: 1.5rem 0; }
.compare { table-layout: fixed; }
.compare.wide { min-width: 38rem; }
.compare td, .compare th { padding-right: 1rem; }
@media (max-width: 40rem) {
  .compare.wide { min-width: 32rem; }
  .compare col:first-child { width: 8rem; }
  .compare tr > :first-child { position: sticky; left: 0; background: var(--back); font-size: 0.9rem; }
}
.prose { max-width: 42rem; }
.prose li { margin: 0.4rem 0; }
@media (min-width: 60rem) {
  .animal {
    grid-template-columns: minmax(0, 42rem) minmax(18rem, 1fr);
    grid-template-rows: repeat(3, auto) 1fr;
  }
  .animal-photos, .animal-text, .animal-adopt { grid-column: 1; }
  .animal-side { grid-column: 2; grid-row: 1 / 5; align-self: start; position: sticky; top: 1rem; }
  .reach { display: none; }
  .animal-head h1 { margin-top: 0; }
  .shelter-about { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
  .shelter-photos { grid-row: span 2; }
}
`

/** Styles of the application form and the applicant's page, in addition to those of the gallery. */
export const APPLY_STYLE = `
.apply { max-width: 40rem; margin: 0 auto; }
.apply .lead { font-size: 1.1rem; }
.whom { display: flex; gap: 1rem; align-items: center; margin: 1.25rem 0 0.5rem; }
.whom img {
  flex: none;
  width: 6rem;
  height: 6rem;
  border-radius: 14px;
  object-fit: cover;
  background: var(--panel);
}
.whom h1 { margin: 0 0 0.25rem; }
.whom p { margin: 0; color: var(--muted); }
.apply form h2 { margin: 1.75rem 0 0.75rem; padding-top: 1.25rem; border-top: 1px solid var(--panel); }
.apply .field { margin-bottom: 1.25rem; }
.apply fieldset legend { margin-bottom: 0.25rem; }
.apply .summary ul { padding-left: 1.2rem; }
.apply .summary a { color: var(--bad); font-weight: 600; }
.privacy { padding: 0.75rem 1rem; border-radius: 10px; background: var(--panel); }
button.big { width: 100%; min-height: 3.25rem; font-size: 1.1rem; }
.state, .answer {
  margin: 1rem 0;
  padding: 1.1rem 1.25rem;
  border-radius: 14px;
  background: var(--panel);
  border-left: 6px solid var(--line);
}
.state h2, .answer h2 { margin: 0 0 0.35rem; }
.state p, .answer p { margin: 0; }
.state.approved, .state.adopted { border-color: var(--good); }
.state.approved h2, .state.adopted h2 { color: var(--good); }
.answer { border-color: var(--strong); }
.apply dl.facts { margin: 1.25rem 0; }
.keep { padding: 0.75rem 1rem; border: 2px solid var(--strong); border-radius: 10px; }
.keep p { margin: 0; }
.keep .row { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem; margin-top: 0.75rem; }
.withdraw { margin: 1.5rem 0; }
@media (min-width: 34.01rem) { button.big { width: auto; padding-inline: 2rem; } }
`

/** The placeholder for a missing photo: a paw, in colors that suit light and dark pages. */
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
