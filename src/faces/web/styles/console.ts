/** Of the console alone. */
export const CONSOLE_STYLE = `
:root { --page: #f3eee6; --card: #fffdf9; --soft: #dcd4c8; }
@media (prefers-color-scheme: dark) {
  :root { --page: #17140f; --card: #221d17; --soft: #463e33; }
}
body { background: var(--page); }
main { max-width: 64rem; padding-top: 0.25rem; }
.narrow { max-width: 36rem; }
.foot { border: 0; padding-block: 0 1rem; font-size: 0.95rem; }
.side { background: var(--card); border-bottom: 1px solid var(--soft); }
.side .home { font-weight: 700; text-decoration: none; color: var(--text); }
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
  .side nav a { border-radius: 0; border-bottom: 3px solid transparent; }
  .side nav a[aria-current] { border-color: var(--strong); }
  .who small { display: none; }
}
@media (min-width: 60rem) {
  body:has(.side) { display: grid; grid-template-columns: 14rem minmax(0, 1fr); min-height: 100vh; }
  body:has(.side) { grid-template-rows: 1fr auto; }
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
.lead { margin: 0 0 1rem; color: var(--muted); }
.card, .group {
  margin: 1rem 0;
  padding: 1rem 1.25rem;
  border: 1px solid var(--soft);
  border-radius: 10px;
  background: var(--card);
}
.card > h2 { margin: 0 0 0.75rem; font-size: 1.15rem; }
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
.secret { display: flex; gap: 0 0.5rem; align-items: end; }
.secret .field { flex: 1; min-width: 0; }
.secret button { margin-bottom: 1rem; }
.secret textarea {
  flex: 1;
  min-width: 0;
  margin-bottom: 1rem;
  font-family: ui-monospace, monospace;
  resize: vertical;
}
.card > label + .secret { margin-top: 0.25rem; }
.rows {
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
label.choice input { flex: none; }
legend { padding: 0; }
body:not(:has(.side)) .bar, body:not(:has(.side)) :is(main, .foot) { max-width: 38rem; }
`
