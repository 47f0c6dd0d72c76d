/** Of the application form and the applicant's page, beside the gallery's. */
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
.apply fieldset legend { margin-bottom: 0.25rem; padding: 0; }
.apply .problem { margin: 0.25rem 0; }
.apply .summary h2 { margin-top: 0; }
.apply .summary ul { margin: 0; padding-left: 1.2rem; }
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
.said { white-space: pre-line; }
.apply dl.facts { margin: 1.25rem 0; }
.keep { padding: 0.75rem 1rem; border: 2px solid var(--strong); border-radius: 10px; }
.withdraw { margin: 1.5rem 0; }
.withdraw summary { padding: 0.4rem 0; color: var(--link); font-weight: 600; cursor: pointer; }
@media (min-width: 34.01rem) { button.big { width: auto; padding-inline: 2rem; } }
`
