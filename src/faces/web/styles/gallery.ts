/** Of the gallery alone. */
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
  font-size: 0.95rem;
}
.foot p { margin: 0.25rem 0; }
h1 { font-size: clamp(1.7rem, 1.3rem + 1.8vw, 2.5rem); letter-spacing: -0.02em; }
.lead {
  margin: 0 0 1.25rem;
  font-size: clamp(1rem, 0.95rem + 0.3vw, 1.15rem);
  color: var(--muted);
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
.finder input[type='checkbox'] { min-height: 0; }
.finder select { padding-inline: 0.4rem 0; }
.finder input[type='checkbox'] { accent-color: var(--strong); }
.summary h2 { margin-top: 0; }
legend { padding: 0; }
::placeholder { color: var(--muted); opacity: 1; }
.finder-main {
  display: grid;
  gap: 0.75rem 1rem;
  grid-template-columns: repeat(2, minmax(0, 1fr));
  align-items: end;
}
.finder-main > :first-child, .finder-main > .wrong { grid-column: 1 / -1; }
.finder details { margin-top: 0.75rem; }
.finder summary, .policy summary {
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
@media (max-width: 30rem) { .bar nav { flex-basis: 100%; } }
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
`
