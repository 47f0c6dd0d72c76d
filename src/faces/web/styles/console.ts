export const CONSOLE_STYLE = `
:root { --page: #f3eee6; --card: #fffdf9; --soft: #dcd4c8; }
@media (prefers-color-scheme: dark) {
  :root { --page: #17140f; --card: #221d17; --soft: #463e33; }
}
body { background: var(--page); }
main { max-width: 64rem; padding-top: 0.25rem; }
.narrow { max-width: 36rem; }
.foot { border: 0; padding-block: 0 1rem; }
.side { background: var(--card); border-bottom: 1px solid var(--soft); }
.side ul { display: flex; margin: 0; padding: 0; list-style: none; }
.side nav a {
  display: block;
  padding: 0.6rem 0.8rem;
  border-radius: 6px;
  color: var(--text);
  text-decoration: none;
  white-space: nowrap;
}
.side nav a:hover { background: var(--page); }
.side nav a[aria-current] { color: var(--link); font-weight: 700; }
.who { display: flex; align-items: baseline; gap: 0.4rem; }
.who button { min-height: 2rem; padding: 0.1rem 0.6rem; font-size: 0.9rem; }
@media (max-width: 59.99rem) {
  .side {
    display: grid;
    grid-template: minmax(2rem, auto) auto / 1fr auto;
    align-items: center;
    padding: 0.5rem 1rem 0;
  }
  .side nav { grid-column: 1 / 3; overflow-x: auto; margin: 0.25rem -1rem 0; padding: 0 0.2rem; order: 3; }
  /* Moves a link that is almost out of view when it gets the focus. */
  .side nav { scroll-padding-inline: 5rem; }
  .side nav a { border-radius: 0; border-bottom: 3px solid transparent; }
  .side nav a[aria-current] { border-color: var(--strong); }
  .who small { display: none; }
}
@media (min-width: 60rem) {
  body:has(.side) { display: grid; grid-template: 1fr auto / 14rem minmax(0, 1fr); min-height: 100vh; }
  .side {
    grid-row: span 2;
    position: sticky;
    top: 0;
    display: flex;
    flex-direction: column;
    height: 100vh;
    padding: 1.5rem 1rem;
    border: 0;
    border-right: 1px solid var(--soft);
  }
  .side .home { padding: 0 0.8rem 1rem; font-size: 1.2rem; }
  .side ul { display: block; }
  .side nav a[aria-current] { background: var(--page); }
  .who { flex-wrap: wrap; margin-top: auto; padding: 0 0.8rem; }
  .who form { width: 100%; margin-top: 0.5rem; }
  body:has(.side) main { width: 100%; margin: 0 auto; padding: 0.5rem 2rem 3rem; }
  .side ~ .foot { width: 100%; max-width: 64rem; padding-inline: 2rem; }
}
.head {
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem 1.5rem;
  align-items: center;
  justify-content: space-between;
}
.head > :first-child { min-width: 0; }
.head h1 { margin: 1rem 0 0.5rem; }
.head p { margin: 0 0 0.75rem; }
.lead { margin: 0 0 1rem; }
.card, .group {
  margin: 1rem 0;
  padding: 1rem 1.25rem;
  border: 1px solid var(--soft);
  border-radius: 10px;
  background: var(--card);
}
.card > h2, fieldset.card h2 { margin: 0 0 0.75rem; font-size: 1.15rem; }
.card > :last-child { margin-bottom: 0; }
.card .group { margin: 0; padding: 0; border: 0; border-top: 1px solid var(--soft); border-radius: 0; }
.two { display: grid; gap: 0 1.25rem; align-items: start; }
@media (min-width: 72rem) { .two { grid-template-columns: 1fr 1fr; } }
.numbers {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr));
  gap: 0.75rem;
  margin: 0;
  padding: 0;
  list-style: none;
}
.numbers + .row { margin-top: 1rem; }
.numbers a {
  display: block;
  height: 100%;
  padding: 0.75rem 1rem;
  border: 1px solid var(--soft);
  border-radius: 10px;
  background: var(--card);
  color: var(--text);
  text-decoration: none;
}
.numbers a:hover { border-color: var(--strong); }
.numbers b { display: block; font-size: 1.8rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.secret { display: flex; flex-wrap: wrap; gap: 0 0.5rem; align-items: end; }
.secret .field { flex: 1; min-width: 0; }
.secret button { margin-bottom: 1rem; }
.secret textarea {
  flex: 1 1 16rem;
  min-width: 0;
  margin-bottom: 1rem;
  font-family: ui-monospace, monospace;
  resize: vertical;
}
.card > label + .secret { margin-top: 0.25rem; }
.rows, .animals {
  margin: 1rem 0;
  padding: 0;
  border: 1px solid var(--soft);
  border-radius: 10px;
  background: var(--card);
  list-style: none;
}
.rows li {
  position: relative;
  display: grid;
  grid-template-columns: minmax(0, 1fr) minmax(0, 20rem);
  gap: 0.25rem 1rem;
  align-items: center;
  padding: 0.75rem 1rem;
}
.rows li + li { border-top: 1px solid var(--soft); }
.rows li:hover .about a { text-decoration: underline; }
.rows .about a { display: inline-block; }
.who a {
  overflow: hidden;
  max-width: 9rem;
  color: var(--text);
  text-overflow: ellipsis;
  white-space: nowrap;
}
@media (max-width: 40rem) { .rows li { grid-template-columns: minmax(0, 1fr); } }
.card > .summary:first-child { margin-top: 0; }
@media (max-width: 39.99rem) { .columns .fields { grid-template-columns: minmax(0, 1fr); } }
.steps p:has(+ p), .steps:has(+ h2), .lead:has(+ .steps + *) { display: none; }
body:not(:has(.side)) .bar, body:not(:has(.side)) :is(main, .foot) { max-width: 38rem; }

.filters {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr));
  gap: 0.75rem;
  align-items: end;
}
.filters .field { margin: 0; }
.filters .row { align-items: center; }
.filters .field:first-child { grid-column: span 2; }
@media (max-width: 40rem) {
  .filters { grid-template-columns: 1fr 1fr; }
  .filters .field:first-child { grid-column: 1 / 3; }
}
.card .animals { margin: 0; border: 0; }
.animals li {
  position: relative;
  display: grid;
  grid-template-columns: 4rem minmax(0, 1fr) minmax(0, 17rem) 6rem;
  gap: 0.25rem 1rem;
  align-items: center;
  padding: 0.75rem 1rem;
}
.animals li + li { border-top: 1px solid var(--soft); }
.card .animals li { grid-template-columns: 4rem minmax(0, 1fr); padding: 0.6rem 0; }
.card .animals .state, .card .animals form { grid-column: 2; }
.about a { display: block; font-weight: 600; text-decoration: none; }
.about a::after { content: ''; position: absolute; inset: 0; }
.animals li:hover .about a { text-decoration: underline; }
.about small, .state small { display: block; }
.thumb { width: 4rem; height: 4rem; border-radius: 8px; background: var(--page); object-fit: cover; }
.thumb.none { display: grid; place-items: center; text-align: center; line-height: 1.1; }
.thumb.none small { font-size: 0.75rem; }
@media (max-width: 40rem) {
  .animals li { grid-template-columns: 4rem minmax(0, 1fr); }
  .animals .state, .animals form { grid-column: 2; }
}
table.list {
  margin: 1rem 0;
  border: 1px solid var(--soft);
  border-collapse: separate;
  border-spacing: 0;
  border-radius: 10px;
  background: var(--card);
}
.list thead th { overflow-wrap: normal; }
.list :is(td, th) { padding: 0.6rem 0.75rem 0.6rem 0; border-color: var(--soft); vertical-align: middle; }
.list tr > :first-child { padding-left: 0.75rem; }
.list tbody tr:last-child > * { border: 0; }
.list thead a { color: var(--text); }
.list [aria-sort='ascending'] a::after { content: ' ↑'; }
.list [aria-sort='descending'] a::after { content: ' ↓'; }
.list tbody th a { display: block; text-decoration: none; }
.list tbody tr:hover th a { text-decoration: underline; }
.list small { display: block; font-weight: normal; }
.list form button { min-height: 2.25rem; padding: 0.2rem 0.8rem; white-space: nowrap; }
.pick label { display: grid; place-items: center; min-width: 2.75rem; min-height: 2.75rem; }
.pick input { margin: 0; }
.list tr:has(.pick :checked) { background: var(--page); }
.with-selected .field { margin: 0; }
.with-selected .row > div { flex: 0 1 14rem; }
@supports selector(:has(*)) {
  .with-selected:not(:has([value='tag']:checked)) .for-tag { display: none; }
  .with-selected:not(:has([value='hold']:checked)) .for-hold { display: none; }
  .with-selected:not(:has([value='assign']:checked)) .for-assign { display: none; }
}
@media (max-width: 55rem) {
  .list, .list :is(tbody, tr, th, td) { display: block; }
  .list thead { display: none; }
  .list tbody tr {
    display: grid;
    grid-template-columns: auto 4rem minmax(0, 1fr);
    gap: 0 0.75rem;
    padding: 0.75rem;
  }
  .list tbody tr + tr { border-top: 1px solid var(--soft); }
  .list tbody :is(td, th) { grid-column: 3; padding: 0.1rem 0; border: 0; }
  .list tbody .picture { grid-column: 2; grid-row: 1 / span 4; }
  .list tbody .pick { grid-column: 1; grid-row: 1; padding: 0; }
  .list tbody tr:not(:has(.pick)) { grid-template-columns: 0 4rem minmax(0, 1fr); }
  .list [data-label]::before { content: attr(data-label) ': '; color: var(--muted); }
  .list .empty { display: none; }
  .list :is([data-label], .state) small { display: inline; }
}
.tag { border: 1px solid var(--soft); background: var(--page); white-space: nowrap; }
.tag:is(.available, .approved, .adopted) { color: var(--good); border-color: currentcolor; }
.tag.unlisted { color: var(--bad); border-color: currentcolor; }
.pager { display: flex; gap: 0.75rem; justify-content: space-between; }
.group > summary { padding: 0.75rem 0; cursor: pointer; }
form.animal > .group { padding-block: 0; }
:is(.group, summary) :is(h2, h3) { display: inline; margin: 0; font-size: 1.05rem; }
.fields {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(min(9rem, 100%), 1fr));
  gap: 0 1rem;
  align-items: end;
}
@media (min-width: 40rem) { .fields { grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); } }
.fields .wide { grid-column: 1 / -1; }
@media (max-width: 39.99rem) { .fields .long { grid-column: 1 / -1; } }
.fields label.choice { padding: 0.6rem 0; }
form.animal fieldset { margin: 0; min-width: 0; }
/* Keeps the focused element above the sticky bar. */
html:has(.actions) { scroll-padding-bottom: 8rem; }
.actions {
  position: sticky;
  bottom: 0;
  z-index: 1;
  display: flex;
  flex-wrap: wrap;
  gap: 0.5rem 0.75rem;
  align-items: center;
  margin: 1rem 0 0;
  padding: 0.75rem 0;
  background: var(--page);
  border-top: 1px solid var(--soft);
}
.card .actions { background: var(--card); }
.quiet { padding: 0.5rem; }
@media (max-width: 40rem) {
  .actions { gap: 0.5rem; }
  .actions button { padding-inline: 0.7rem; font-size: 0.95rem; }
  .actions .quiet { margin-left: auto; padding-inline: 0; }
}
main input:not([type='checkbox']), main select { min-height: 2.75rem; }
.history { margin: 0; padding: 0; list-style: none; }
.history > li { padding: 0.5rem 0; }
.history > li + li { border-top: 1px solid var(--soft); }
.history p { margin: 0; }
.history ul { margin: 0; padding-left: 1.1rem; }
.history del { color: var(--muted); }
.history ins { text-decoration: none; font-weight: 600; }
.history time { color: var(--muted); font-size: 0.9rem; }
.kinds { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; padding: 0; list-style: none; }
.kinds a[aria-current] { font-weight: 700; text-decoration: none; color: var(--text); }
.end { margin: 2rem 0 0; }
a.danger { color: var(--bad); }
.summary p.problem, p.summary { color: var(--bad); }
.summary table { margin-top: 0.5rem; }
th.line { min-width: 4rem; overflow-wrap: normal; }
.photos {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(min(13rem, 100%), 1fr));
  gap: 1rem;
  margin: 0 0 1.25rem;
  padding: 0;
  list-style: none;
}
.photos img {
  display: block;
  width: 100%;
  aspect-ratio: 1;
  border-radius: 8px;
  background: var(--page);
  object-fit: cover;
}
.photos label { margin-top: 0.5rem; font-size: 0.9rem; font-weight: normal; color: var(--muted); }
.photos .row { gap: 0.4rem; margin-top: 0.4rem; }
.photos button { min-width: 2.5rem; min-height: 2.5rem; padding: 0.2rem 0.7rem; }
@media (max-width: 40rem) {
  .photos { grid-template-columns: repeat(auto-fill, minmax(min(11rem, 100%), 1fr)); }
}
.upload { padding: 1rem; border: 2px dashed var(--soft); border-radius: 8px; }
.over .upload { border-color: var(--strong); background: var(--page); }
.upload input { flex: 1 1 14rem; width: auto; }
.upload progress { width: 100%; margin-top: 0.75rem; accent-color: var(--strong); }
.upload [role='status'] { margin: 0.25rem 0 0; }
form.animal > fieldset.card { margin: 1rem 0; padding: 1rem 1.25rem; }
fieldset.card legend { float: left; width: 100%; }
fieldset.card .fields { clear: both; }
.figures li {
  padding: 0.75rem 1rem;
  border: 1px solid var(--soft);
  border-radius: 10px;
  background: var(--card);
}
.filters + .figures { margin-top: 1rem; }
.plot {
  display: block;
  width: 100%;
  max-width: 38rem;
  height: auto;
  margin: 0.5rem 0 1rem;
  overflow: visible;
  font-size: 11px;
}
#outcome .group { border: 0; }
.plot text { fill: var(--text); }
.plot line { stroke: var(--soft); }
.bar0 { fill: var(--strong); }
.bar1 { fill: var(--muted); }
.mark { fill: var(--text); }
.legend { display: flex; gap: 1rem; margin: 0; padding: 0; list-style: none; }
.counts { font-variant-numeric: tabular-nums; overflow-wrap: normal; }
.counts th { overflow-wrap: normal; }
.counts :is(td, th + th) { text-align: right; }
meter { width: 8rem; max-width: 100%; height: 1rem; vertical-align: middle; }

.side-by-side {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr));
  gap: 0 1.25rem;
}
.sent { margin: 0; }
.sent dt { margin-top: 0.75rem; color: var(--muted); font-size: 0.9rem; }
.sent dt:first-child { margin-top: 0; }
.sent dd { margin: 0; }
.aside { padding-top: 0.75rem; border-top: 1px solid var(--soft); }
.tag.received { color: var(--link); border-color: currentcolor; }
.card > .head h2 { margin: 0; font-size: 1.15rem; }
.card > .head { margin-bottom: 0.5rem; }
.card > .facts { margin-bottom: 1.25rem; }
@media (max-width: 30rem) {
  main dl.facts { grid-template-columns: minmax(0, 1fr); gap: 0; }
  main dl.facts dd + dt { margin-top: 0.6rem; }
}
.hint + :is(.row, .fields) { margin-top: 0.75rem; }
.head + :is(.filters, .lead, .facts) { margin-top: 0.75rem; }
`
