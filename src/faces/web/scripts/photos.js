// Uploads dropped, pasted or chosen photos one by one, changes their order by dragging, and replaces only the
// photos after a change. So texts in other forms of the page stay.

let section = document.querySelector('[data-photos]')
let paste = () => undefined
document.addEventListener('paste', (event) => paste(event))
if (section) start()

function start() {
  const form = section.querySelector('form.upload')
  paste = () => undefined
  if (form) addPhotos(section, form)
  orderPhotos(section)
  section.addEventListener('submit', (event) => {
    if (event.defaultPrevented || !event.target.closest('[data-photo]')) return
    event.preventDefault()
    change(event.target.action, new URLSearchParams(new FormData(event.target, event.submitter)))
  })
}

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
  paste = (event) => {
    if (event.clipboardData.files.length > 0) send([...event.clipboardData.files])
  }

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
      await load('GET', `${ownerPath()}?done=photosAdded`)
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

/** The path of the page that has the photos. The page after a refused photo has another path. */
const ownerPath = () => section.dataset.photos.replace(/\/photos$/, '')

/** Sends a change of a photo. */
async function change(path, body) {
  const {
    activeElement: { value, form },
  } = document
  await load('POST', path, body)
  // The pressed button is gone. The focus goes to the same button of the same photo, or to the first button.
  const same =
    form && section.querySelector(`form[action="${form.getAttribute('action')}"] [value="${value}"]`)
  ;(same ?? section.querySelector('button'))?.focus()
}

/** Requests the page and takes its photos and notice. Otherwise loads the whole page. */
async function load(method, path, body) {
  const request = new XMLHttpRequest()
  request.open(method, path)
  request.responseType = 'document'
  await new Promise((resolve) => {
    request.addEventListener('loadend', resolve)
    request.send(body)
  })
  const changed = request.response?.querySelector('[data-photos]')
  if (!changed) return location.assign(ownerPath())
  const notice = request.response.querySelector('.notice[role=status]')
  section.replaceWith(changed)
  section = changed
  if (notice) section.querySelector('h2').after(notice)
  start()
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
    item.addEventListener('drop', (event) => {
      if (!dragged || dragged === item) return
      event.preventDefault()
      const { photo } = dragged.dataset
      const position = String(items.indexOf(item) + 1)
      change(`${section.dataset.photos}/${photo}`, new URLSearchParams({ do: 'move', position }))
    })
  }
}
