// What makes forms of the console pleasant; all of them work without it.

/** A form that was refused holds what was typed. */
let isDirty = document.querySelector('form[data-guard] .summary') !== null

for (const form of document.querySelectorAll('form[data-guard]')) {
  form.addEventListener('input', () => {
    isDirty = true
  })
}

// Leaving a page with something unsaved asks first.
addEventListener('beforeunload', (event) => {
  if (isDirty) event.preventDefault()
})

// A second click sends nothing. What a button says is sent with it, so it stays enabled until that is read.
document.addEventListener('submit', (event) => {
  const form = event.target
  if (form.method !== 'post') return
  if (form.ariaBusy === 'true') {
    event.preventDefault()
    return
  }
  form.ariaBusy = 'true'
  if ('guard' in form.dataset) isDirty = false
})

// What is typed unseen can be looked at.
for (const button of document.querySelectorAll('[data-shows]')) {
  const input = document.getElementById(button.dataset.shows)
  button.hidden = false
  button.addEventListener('click', () => {
    const isShown = input.type === 'text'
    input.type = isShown ? 'password' : 'text'
    button.ariaPressed = String(!isShown)
  })
  // A browser remembers no password that is sent as text.
  input.form.addEventListener('submit', () => {
    input.type = 'password'
  })
}

// What is shown once can be copied.
for (const button of document.querySelectorAll('[data-copies]')) {
  const source = document.getElementById(button.dataset.copies)
  button.hidden = navigator.clipboard === undefined
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(source.value)
    button.closest('.card').querySelector('[role=status]').textContent = button.dataset.copied
  })
}

// Whoever comes back finds a form that can be sent.
addEventListener('pageshow', () => {
  for (const form of document.forms) form.ariaBusy = null
})

// What is wrong is read out first.
document.querySelector('.summary')?.focus()
