/** Of the console alone. */
export const CONSOLE_STYLE = `
:root { --page: #f3eee6; --card: #fffdf9; --soft: #dcd4c8; }
@media (prefers-color-scheme: dark) {
  :root { --page: #17140f; --card: #221d17; --soft: #463e33; }
}
body { background: var(--page); }
main { max-width: 64rem; padding-top: 0.25rem; }
.narrow { max-width: 36rem; }
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
.who span { overflow: hidden; max-width: 9rem; text-overflow: ellipsis; white-space: nowrap; }
.who button { min-height: 2rem; padding: 0.1rem 0.6rem; font-size: 0.9rem; }
@media (max-width: 59.99rem) {
  .side { display: grid; grid-template-columns: 1fr auto; align-items: center; padding: 0.5rem 1rem 0; }
  .side nav { grid-column: 1 / 3; overflow-x: auto; margin: 0.25rem -1rem 0; padding: 0 0.2rem; order: 3; }
  .side nav a { border-radius: 0; border-bottom: 3px solid transparent; }
  .side nav a[aria-current] { border-color: var(--strong); }
  .who small { display: none; }
}
@media (min-width: 60rem) {
  body:has(.side) { display: grid; grid-template-columns: 14rem minmax(0, 1fr); min-height: 100vh; }
  .side {
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
}
.head { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; align-items: center; justify-content: space-between; }
.head h1 { margin: 1rem 0 0.5rem; }
.head p { margin: 0 0 0.75rem; }
.lead { margin: 0 0 1rem; color: var(--muted); }
.card, .group { margin: 1rem 0; padding: 1rem 1.25rem; border: 1px solid var(--soft); border-radius: 10px; background: var(--card); }
.card > h2 { margin: 0 0 0.75rem; font-size: 1.15rem; }
.card > :last-child { margin-bottom: 0; }
.card .group { margin: 0; padding: 0; border: 0; border-top: 1px solid var(--soft); border-radius: 0; }
.two { display: grid; gap: 0 1.25rem; align-items: start; }
@media (min-width: 72rem) { .two { grid-template-columns: 1fr 1fr; } }
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 0.75rem; margin: 0; padding: 0; list-style: none; }
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
.filters { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0.75rem; align-items: end; }
.filters .field { margin: 0; }
.filters .row { align-items: center; }
@media (max-width: 40rem) {
  .filters { grid-template-columns: 1fr 1fr; }
  .filters .field:first-child { grid-column: 1 / 3; }
}
.animals { margin: 1rem 0; padding: 0; border: 1px solid var(--soft); border-radius: 10px; background: var(--card); list-style: none; }
.card .animals { margin: 0; border: 0; }
.animals li {
  position: relative;
  display: grid;
  grid-template-columns: 4rem minmax(0, 1fr) minmax(0, 16rem) auto;
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
.animals form { position: relative; }
.animals form button { min-height: 2.25rem; padding: 0.2rem 0.8rem; }
.about small, .state small { display: block; }
.thumb { width: 4rem; height: 4rem; border-radius: 8px; background: var(--page); object-fit: cover; }
.thumb.none { display: grid; place-items: center; text-align: center; line-height: 1.1; }
.thumb.none small { font-size: 0.75rem; }
@media (max-width: 40rem) {
  .animals li { grid-template-columns: 4rem minmax(0, 1fr); }
  .animals .state, .animals form { grid-column: 2; }
}
.tag { border: 1px solid var(--soft); background: var(--page); white-space: nowrap; }
.tag.available { color: var(--good); border-color: currentcolor; }
.tag.unlisted { color: var(--bad); border-color: currentcolor; }
.pager { display: flex; gap: 0.75rem; justify-content: space-between; }
.group > summary { padding: 0.75rem 0; cursor: pointer; }
form.animal > .group { padding-block: 0; }
.group h3 { display: inline; margin: 0; font-size: 1.05rem; }
.fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); gap: 0 1.25rem; align-items: end; }
.fields .wide { grid-column: 1 / -1; }
.fields label.choice { padding: 0.6rem 0; }
form.animal fieldset { margin: 0; min-width: 0; }
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
.history { margin: 0; padding: 0; list-style: none; }
.history > li { padding: 0.5rem 0; }
.history > li + li { border-top: 1px solid var(--soft); }
.history p { margin: 0; }
.history ul { margin: 0; padding-left: 1.1rem; }
.history del { color: var(--muted); }
.history ins { text-decoration: none; font-weight: 600; }
.history time { color: var(--muted); font-size: 0.9rem; }
.end { margin: 2rem 0 0; }
a.danger { color: var(--bad); }
.summary p.problem, p.summary { color: var(--bad); }
.summary table { margin-top: 0.5rem; }
.photos { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(13rem, 100%), 1fr)); gap: 1rem; margin: 0 0 1.25rem; padding: 0; list-style: none; }
.photos img { display: block; width: 100%; aspect-ratio: 1; border-radius: 8px; background: var(--page); object-fit: cover; }
.photos label { margin-top: 0.5rem; font-size: 0.9rem; font-weight: normal; color: var(--muted); }
.photos .row { gap: 0.4rem; margin-top: 0.4rem; }
.photos button { min-width: 2.5rem; min-height: 2.5rem; padding: 0.2rem 0.7rem; }
@media (max-width: 40rem) { .photos { grid-template-columns: 1fr 1fr; gap: 0.75rem; } }
.upload { padding: 1rem; border: 2px dashed var(--soft); border-radius: 8px; }
.over .upload { border-color: var(--strong); background: var(--page); }
.upload input { flex: 1 1 14rem; width: auto; }
.upload progress { width: 100%; margin-top: 0.75rem; accent-color: var(--strong); }
.upload [role='status'] { margin: 0.25rem 0 0; }
`
