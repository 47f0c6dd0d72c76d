// <script src="…/embed.js" data-organization="CO12" async></script> shows a shelter's animals in place of the script.
;(() => {
  const script = document.currentScript
  const address = new URL('embed', script.src)
  for (const name of ['organization', 'kind', 'limit']) {
    const value = script.dataset[name]
    if (value) address.searchParams.set(name, value)
  }
  const frame = document.createElement('iframe')
  frame.src = address.href
  frame.title = script.dataset.title || 'Animals looking for a home'
  frame.loading = 'lazy'
  frame.width = '100%'
  frame.height = '600'
  // Sets style properties, because the policy of a site may forbid style attributes.
  frame.style.border = '0'
  frame.style.display = 'block'
  addEventListener('message', ({ source, data }) => {
    if (source !== frame.contentWindow || data?.adoptable !== 'height') return
    const height = Number(data.height)
    if (height > 0 && height < 50_000) frame.height = String(Math.ceil(height))
  })
  script.after(frame)
})()
