// Uploads dropped, pasted or chosen photos one by one, and changes their order by dragging.

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
    // If no file was chosen, the server answers with a page that explains what to do.
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
      const failures = await sendOne(form, file, (part) => {
        bar.value = (index + part) / files.length
      })
      problems.push(...failures.map((text) => (files.length > 1 ? `${file.name}: ${text}` : text)))
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

/** @returns the problems of the photo; empty if it was added */
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

/** Loads the page again with a notice. The browser asks first if the other form has unsaved input. */
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
