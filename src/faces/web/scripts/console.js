// Enhances the forms of the console. Every form works without this script.

/** True from the start if the server refused the form, because the form then contains unsaved input. */
let isDirty = document.querySelector('form[data-guard] .summary') !== null

for (const form of document.querySelectorAll('form[data-guard]')) {
  form.addEventListener('input', () => {
    isDirty = true
  })
}

// Asks before a person leaves a page with unsaved input.
addEventListener('beforeunload', (event) => {
  if (isDirty) event.preventDefault()
})

// On a phone, the navigation is one line. Scrolls it to the current page.
const here = document.querySelector('.side [aria-current]')
const line = here?.closest('nav')
if (line) line.scrollLeft = here.offsetLeft - (line.clientWidth - here.offsetWidth) / 2

// Ignores a second click. The button stays enabled, because browsers do not send the value of a disabled
// button.
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

// Show and hide passwords.
for (const button of document.querySelectorAll('[data-shows]')) {
  const input = document.getElementById(button.dataset.shows)
  button.hidden = false
  button.addEventListener('click', () => {
    const isShown = input.type === 'text'
    input.type = isShown ? 'password' : 'text'
    button.ariaPressed = String(!isShown)
  })
  // Changes the field back to a password input, because browsers offer to save only those.
  input.form.addEventListener('submit', () => {
    input.type = 'password'
  })
}

// Copy a secret.
for (const button of document.querySelectorAll('[data-copies]')) {
  const source = document.getElementById(button.dataset.copies)
  button.hidden = navigator.clipboard === undefined
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(source.value)
    button.closest('.card').querySelector('[role=status]').textContent = button.dataset.copied
  })
}

// Select all animals of the page.
for (const box of document.querySelectorAll('[data-checks]')) {
  const all = [...box.form.elements].filter((one) => one.name === box.dataset.checks)
  const show = () => {
    box.checked = all.every((one) => one.checked)
  }
  box.closest('label').hidden = false
  box.addEventListener('change', () => {
    for (const one of all) one.checked = box.checked
  })
  for (const one of all) one.addEventListener('change', show)
  show()
}

// A page restored by the back button must accept a new submission.
addEventListener('pageshow', () => {
  for (const form of document.forms) form.ariaBusy = null
})

// Move the focus to the problems, so screen readers announce them.
document.querySelector('.summary')?.focus()
