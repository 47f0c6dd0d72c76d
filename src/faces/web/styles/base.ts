/** Styles of every page: fits a phone, text contrast of at least 4.5, controls of at least 24 px. */
export const BASE_STYLE = `
:root {
  color-scheme: light dark;
  --back: #fffdf9;
  --panel: #f5f1ea;
  --text: #1f1b16;
  --muted: #5a5248;
  --line: #8f877b;
  --link: #8a3b12;
  --strong: #8a3b12;
  --on-strong: #ffffff;
  --good: #1d6b3a;
  --bad: #a3161f;
  --space: 1rem;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #17140f;
    --panel: #26211a;
    --text: #f0ebe3;
    --muted: #bfb5a7;
    --line: #857b6d;
    --link: #ffb98f;
    --strong: #ffb98f;
    --on-strong: #17140f;
    --good: #7fd69b;
    --bad: #ff9a9a;
  }
}
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { text-size-adjust: 100%; }
body {
  margin: 0;
  background: var(--back);
  color: var(--text);
  font: 1rem/1.55 system-ui, sans-serif;
  overflow-wrap: anywhere;
}
main, .bar, .foot { max-width: 72rem; margin: 0 auto; padding: 0 var(--space); }
main { padding-bottom: 3rem; }
main:focus { outline: none; }
h1, h2, h3 { line-height: 1.2; text-wrap: balance; overflow-wrap: break-word; }
h1 { margin: 1.5rem 0 1rem; font-size: 1.8rem; }
h2 { margin: 2rem 0 0.75rem; font-size: 1.3rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--strong); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; padding: 0.5rem; background: var(--back); z-index: 2; }
.skip:focus { left: 0; }
.bar { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; align-items: center; padding-block: 0.75rem; }
.home { font-weight: 700; text-decoration: none; color: var(--text); }
.bar a { padding: 0.25rem 0; }
.bar [aria-current] { font-weight: 700; }
.foot {
  padding-block: 1rem 2rem;
  border-top: 1px solid var(--line);
  color: var(--muted);
  font-size: 0.95rem;
}
img { max-width: 100%; height: auto; }
table { width: 100%; border-collapse: collapse; }
th, td {
  padding: 0.5rem 0.75rem 0.5rem 0;
  border-bottom: 1px solid var(--line);
  text-align: left;
  vertical-align: top;
}
.scroll { overflow-x: auto; }
label, legend { display: block; font-weight: 600; }
fieldset { margin: 1rem 0; padding: 0; border: 0; }
legend { padding: 0; }
small, .hint { color: var(--muted); font-size: 0.9rem; }
.hint { margin: 0 0 0.25rem; }
.field { margin: 0 0 1rem; }
.field.wrong { padding-left: 0.75rem; border-left: 4px solid var(--bad); }
.problem { color: var(--bad); font-weight: 600; }
.field .problem { margin: 0 0 0.25rem; }
input, select, textarea {
  width: 100%;
  max-width: 100%;
  padding: 0.5rem;
  border: 1px solid var(--line);
  border-radius: 6px;
  background: var(--back);
  color: var(--text);
  font: inherit;
}
select { text-overflow: ellipsis; }
input[type='checkbox'], input[type='radio'] {
  width: 1.5rem;
  height: 1.5rem;
  margin: 0 0.5rem 0 0;
  vertical-align: middle;
}
label.choice { display: flex; align-items: center; font-weight: normal; padding: 0.25rem 0; }
label.choice input { flex: none; }
button, .button {
  display: inline-block;
  max-width: 100%;
  min-height: 2.75rem;
  padding: 0.5rem 1.1rem;
  border: 1px solid var(--strong);
  border-radius: 6px;
  background: var(--strong);
  color: var(--on-strong);
  font: inherit;
  font-weight: 600;
  text-decoration: none;
  cursor: pointer;
}
button.plain, .button.plain { background: none; color: var(--link); border-color: var(--line); }
button.danger { background: none; color: var(--bad); border-color: var(--bad); }
.summary { margin: 1rem 0; padding: 0.75rem 1rem; border: 3px solid var(--bad); border-radius: 6px; }
.summary > :first-child { margin-top: 0; }
.summary > :last-child { margin-bottom: 0; }
.notice {
  margin: 1rem 0;
  padding: 0.75rem 1rem;
  border-left: 5px solid var(--good);
  background: var(--panel);
}
.tag {
  display: inline-block;
  padding: 0.1rem 0.6rem;
  border-radius: 1rem;
  background: var(--panel);
  font-size: 0.9rem;
}
.lead { color: var(--muted); }
.said { white-space: pre-line; }
.row { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: end; }
.visually-hidden {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}
dl.facts {
  display: grid;
  grid-template-columns: max-content minmax(0, 1fr);
  gap: 0.35rem 1.25rem;
  margin: 0;
}
dl.facts dt { color: var(--muted); }
dl.facts dd { margin: 0; }
`
