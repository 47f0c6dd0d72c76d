/** Of applications in the console. */
export const CONSOLE_APPLICATIONS_STYLE = `
.beside {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr));
  gap: 0 1.25rem;
}
.sent { margin: 0; }
.sent dt { margin-top: 0.75rem; color: var(--muted); font-size: 0.9rem; }
.sent dt:first-child { margin-top: 0; }
.sent dd { margin: 0; }
.said { white-space: pre-line; }
.aside { padding-top: 0.75rem; border-top: 1px solid var(--soft); }
.tag:is(.approved, .adopted) { color: var(--good); border-color: currentcolor; }
.tag.received { color: var(--link); border-color: currentcolor; }
.card > .head h2 { margin: 0; font-size: 1.15rem; }
.card > .head { margin-bottom: 0.5rem; }
.card > .facts { margin-bottom: 1.25rem; }
.hint + .row { margin-top: 0.75rem; }
.head + .filters { margin-top: 0.75rem; }
`
