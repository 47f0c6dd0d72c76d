// Everything works without this: addresses become shorter, and photos follow the arrow keys.

for (const form of document.querySelectorAll('form.finder'))
  form.addEventListener('formdata', ({ formData }) => {
    for (const [name, value] of [...formData]) if (value === '') formData.delete(name)
    if (!formData.has('near')) formData.delete('within')
    if (formData.get('sort') === 'newest' && !formData.has('near')) formData.delete('sort')
  })

for (const photos of document.querySelectorAll('.photos')) {
  const strip = photos.querySelector('.strip')
  const thumbs = [...photos.querySelectorAll('.thumbs a')]
  const slides = [...strip.children]
  if (thumbs.length === 0) continue

  const current = () => Math.round(strip.scrollLeft / strip.clientWidth)
  const mark = () => {
    for (const thumb of thumbs) thumb.removeAttribute('aria-current')
    thumbs[current()]?.setAttribute('aria-current', 'true')
  }
  const show = (index) => {
    const to = Math.max(0, Math.min(slides.length - 1, index))
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches
    strip.scrollTo({ left: to * strip.clientWidth, behavior: still ? 'instant' : 'smooth' })
  }

  for (const [index, thumb] of thumbs.entries())
    thumb.addEventListener('click', (event) => {
      // Without moving the whole page.
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
