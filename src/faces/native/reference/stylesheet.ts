/** Pages fit on a phone, and every text has a contrast ratio of at least 4.5. */
export const STYLESHEET = `
:root {
  color-scheme: light dark;
  --back: #ffffff;
  --panel: #f3f4f6;
  --text: #1b1f24;
  --muted: #4b535c;
  --line: #8a929b;
  --link: #0b4fb3;
  --strong: #0b4fb3;
  --on-strong: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #14171a;
    --panel: #22262b;
    --text: #e8eaed;
    --muted: #b4bbc3;
    --line: #7d858e;
    --link: #9cc2ff;
    --strong: #9cc2ff;
    --on-strong: #14171a;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; text-size-adjust: 100%; }
body {
  margin: 0;
  background: var(--back);
  color: var(--text);
  font: 1rem/1.55 system-ui, sans-serif;
  overflow-wrap: anywhere;
}
header, .columns { max-width: 78rem; margin: 0 auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; overflow-wrap: break-word; }
h1 { margin: 1.5rem 0 0; font-size: 1.75rem; }
h2 { margin: 3rem 0 1rem; padding-top: 1rem; border-top: 2px solid var(--line); font-size: 1.5rem; }
h3 { margin: 2rem 0 0.5rem; font-size: 1.15rem; }
a { color: var(--link); text-decoration: underline; }
:focus-visible { outline: 3px solid var(--strong); outline-offset: 2px; }
main:focus { outline: none; }
small { display: block; color: var(--muted); font-size: 0.85rem; font-weight: normal; }
p > small, label > small, td > small { display: inline; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }
code { padding: 0.05em 0.25em; border-radius: 3px; background: var(--panel); }
pre {
  margin: 0.25rem 0 1rem;
  padding: 0.75rem;
  border-radius: 6px;
  background: var(--panel);
  white-space: pre-wrap;
}
pre code { padding: 0; font-size: 1em; }
figure { margin: 1rem 0; }
figcaption, caption { margin: 1rem 0 0.25rem; font-weight: 600; text-align: left; }
table { width: 100%; margin: 1rem 0; border-collapse: collapse; table-layout: fixed; }
th, td { padding: 0.4rem 0.5rem 0.4rem 0; border-bottom: 1px solid var(--line); text-align: left; }
th, td { vertical-align: top; }
thead th:first-child { width: 40%; }
.narrow-first thead th:first-child { width: 4.5rem; }
td ul { margin: 0.25rem 0 0; padding-left: 1.1rem; }
dt { margin-top: 0.5rem; font-weight: 600; }
dd { margin: 0 0 0 1rem; }
dl { max-width: 45rem; }
.badge {
  display: inline-block;
  padding: 0 0.5em;
  border: 1px solid currentcolor;
  border-radius: 1em;
  color: var(--link);
  font-size: 0.8rem;
  font-weight: normal;
}
details { margin: 0.75rem 0; }
summary { padding: 0.25rem 0; font-weight: 600; cursor: pointer; }
.entry { margin: 0; border-bottom: 1px solid var(--line); }
.entry > summary { padding: 0.6rem 0; font-weight: normal; }
.entry h3 { display: inline; margin: 0; font-size: 1.05rem; }
.entry > summary > code { display: block; margin-left: 1.1rem; background: none; color: var(--muted); }
.entry > div { padding-bottom: 1rem; scroll-margin-top: 5rem; }
@media (scripting: none) { .try, .scripted { display: none; } }
#results:not(:empty) { padding-bottom: 1rem; border-bottom: 1px solid var(--line); }
#results { margin: 0; padding: 0; list-style: none; }
#results li { padding: 0.3rem 0; }
output { display: block; margin-top: 0.5rem; }
.try, aside { padding: 0.25rem 0.75rem; border: 1px solid var(--line); border-radius: 6px; }
label { display: block; font-weight: 600; }
input, select, textarea {
  width: 100%;
  max-width: 100%;
  padding: 0.45rem;
  border: 1px solid var(--line);
  border-radius: 4px;
  background: var(--back);
  color: var(--text);
  font: inherit;
}
textarea { font-family: ui-monospace, monospace; }
button {
  max-width: 100%;
  padding: 0.5rem 1rem;
  border: 0;
  border-radius: 4px;
  background: var(--strong);
  color: var(--on-strong);
  font: inherit;
  cursor: pointer;
}
button code { background: none; overflow-wrap: anywhere; }
.status { font-weight: 600; }
.answer dl { font-size: 0.9rem; }
.skip { position: absolute; left: -100vw; padding: 0.5rem; background: var(--back); }
.skip:focus { left: 0; }
nav ul { margin: 0; padding-left: 1rem; list-style: none; }
nav details > ul { padding-left: 0; }
nav a { display: block; padding: 0.2rem 0; }
@media (min-width: 60rem) {
  .columns { display: grid; grid-template-columns: 17rem minmax(0, 1fr); gap: 2.5rem; }
  .side { position: sticky; top: 0; align-self: start; max-height: 100vh; padding: 1rem 0.5rem; }
  .side { overflow-y: auto; }
}
`
