// Shortens search addresses, lets arrow keys change the photo, and copies links. The gallery works without this script.

for (const form of document.querySelectorAll('form.finder'))
  form.addEventListener('formdata', ({ formData }) => {
    for (const [name, value] of [...formData]) if (value === '') formData.delete(name)
    if (!formData.has('near')) formData.delete('within')
  })

for (const strip of document.querySelectorAll('.strip')) {
  const thumbs = [...strip.parentElement.querySelectorAll('.thumbs a')]

  const current = () => Math.round(strip.scrollLeft / strip.clientWidth)
  const mark = () => {
    for (const thumb of thumbs) thumb.removeAttribute('aria-current')
    thumbs[current()]?.setAttribute('aria-current', 'true')
  }
  const show = (index) => {
    const to = Math.max(0, Math.min(thumbs.length - 1, index))
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches
    strip.scrollTo({ left: to * strip.clientWidth, behavior: still ? 'instant' : 'smooth' })
  }

  for (const [index, thumb] of thumbs.entries())
    thumb.addEventListener('click', (event) => {
      event.preventDefault()
      show(index)
    })
  strip.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (!step) return
    event.preventDefault()
    show(current() + step)
  })
  strip.addEventListener('scroll', mark, { passive: true })
  mark()
}

// Copy a link. Without a secure connection, browsers do not allow it.
for (const button of document.querySelectorAll('[data-copies]')) {
  button.hidden = navigator.clipboard === undefined
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset.copies)
    button.parentElement.querySelector('[role=status]').textContent = button.dataset.copied
  })
}
