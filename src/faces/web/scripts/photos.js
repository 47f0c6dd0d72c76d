// Photos of an animal: dropped, pasted or chosen they go up one by one, and dragging puts them in order.

const section = document.querySelector('[data-photos]')
const form = section?.querySelector('form.upload')
if (form) addPhotos(section, form)
if (section) orderPhotos(section)

function addPhotos(section, form) {
  const input = form.querySelector('input[type=file]')
  const bar = document.createElement('progress')
  const status = document.createElement('p')
  status.role = 'status'
  bar.max = 1
  bar.hidden = true
  bar.ariaLabel = form.querySelector('button').textContent
  form.append(bar, status)

  input.addEventListener('change', () => send([...input.files]))
  form.addEventListener('submit', (event) => {
    // Without a file the page says what is missing.
    if (input.files.length === 0) return
    event.preventDefault()
    send([...input.files])
  })
  section.addEventListener('dragover', (event) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    section.classList.add('over')
  })
  for (const name of ['dragleave', 'drop']) {
    section.addEventListener(name, () => section.classList.remove('over'))
  }
  section.addEventListener('drop', (event) => {
    if (event.dataTransfer.files.length === 0) return
    event.preventDefault()
    send([...event.dataTransfer.files])
  })
  document.addEventListener('paste', (event) => {
    if (event.clipboardData.files.length > 0) send([...event.clipboardData.files])
  })

  let sending = false
  async function send(files) {
    if (sending || files.length === 0) return
    sending = true
    bar.hidden = false
    const problems = []
    for (const [index, file] of files.entries()) {
      const { progress } = form.dataset
      status.textContent = progress.replace('{number}', index + 1).replace('{count}', files.length)
      const found = await sendOne(form, file, (part) => {
        bar.value = (index + part) / files.length
      })
      problems.push(...found.map((text) => (files.length > 1 ? `${file.name}: ${text}` : text)))
    }
    if (problems.length === 0) {
      leave('photosAdded')
      return
    }
    sending = false
    bar.hidden = true
    status.textContent = problems.join(' ')
    status.className = 'problem'
    input.value = ''
  }
}

/** @returns what is wrong with it */
function sendOne(form, file, onProgress) {
  const body = new FormData()
  body.append('photos', file, file.name || 'photo')
  const request = new XMLHttpRequest()
  request.open('POST', form.action)
  request.setRequestHeader('accept', 'application/json')
  request.responseType = 'json'
  request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total))
  return new Promise((resolve) => {
    request.addEventListener('load', () => resolve(request.response?.problems ?? [form.dataset.failed]))
    request.addEventListener('error', () => resolve([form.dataset.failed]))
    request.send(body)
  })
}

/** The page as it is now, with what was done. Whatever is unsaved in the other form asks first. */
function leave(done) {
  const url = new URL(location.href)
  url.searchParams.set('done', done)
  url.hash = 'photos'
  if (url.href === location.href) location.reload()
  else location.assign(url.pathname + url.search)
}

function orderPhotos(section) {
  const items = [...section.querySelectorAll('[data-photo]')]
  let dragged
  for (const item of items) {
    const picture = item.querySelector('img')
    picture.draggable = true
    picture.addEventListener('dragstart', (event) => {
      dragged = item
      event.dataTransfer.effectAllowed = 'move'
    })
    picture.addEventListener('dragend', () => {
      dragged = undefined
    })
    item.addEventListener('dragover', (event) => {
      if (dragged && dragged !== item) event.preventDefault()
    })
    item.addEventListener('drop', async (event) => {
      if (!dragged || dragged === item) return
      event.preventDefault()
      const { photo } = dragged.dataset
      const position = String(items.indexOf(item) + 1)
      const body = new URLSearchParams({ do: 'move', position })
      const { ok } = await fetch(`${section.dataset.photos}/${photo}`, { method: 'POST', body })
      if (ok) leave('photoChanged')
    })
  }
}
