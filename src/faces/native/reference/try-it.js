// The script of the page under /docs: sends what a form holds to this same server and shows the answer. The
// key is read from its field for each request, and is kept nowhere else.

/** Headers of the connection, which tell a reader nothing. */
const UNTOLD = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']

const key = document.querySelector('#key')

for (const form of document.querySelectorAll('form[data-method]')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (form.ariaBusy !== 'true') send(form)
  })
}

// On a phone the contents would come before all else.
const contents = document.querySelector('nav details')
contents.open = matchMedia('(min-width: 60rem)').matches

async function send(form) {
  const output = form.parentElement.querySelector('.answer')
  form.ariaBusy = 'true'
  try {
    const { url, init } = requestOf(form)
    const began = performance.now()
    const response = await fetch(url, init)
    const text = await response.text()
    output.replaceChildren(...shown(response, text, performance.now() - began))
  } catch (error) {
    output.replaceChildren(element('p', `No answer: ${error.message}`))
  } finally {
    form.ariaBusy = 'false'
  }
}

/** The request that a form describes; an empty field is not sent. */
function requestOf(form) {
  const { method, type } = form.dataset
  const headers = new Headers()
  const query = new URLSearchParams()
  let path = form.dataset.path
  let body
  if (key.value.trim() !== '') headers.set('Authorization', `Bearer ${key.value.trim()}`)
  for (const { name, value, dataset, files } of form.elements) {
    if (dataset.in === undefined || value.trim() === '') continue
    if (dataset.in === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value.trim()))
    if (dataset.in === 'header') headers.set(name, value.trim())
    if (dataset.in === 'body') body = files?.[0] ?? value
    if (dataset.in !== 'query') continue
    const values = dataset.list === undefined ? [value] : value.split(',')
    for (const one of values) query.append(name, one.trim())
  }
  if (type && body !== undefined) headers.set('Content-Type', body.type || type)
  const search = query.size > 0 ? `?${query}` : ''
  // The answers are to be seen as they are: none from a cache, and none that a redirection hides.
  const init = { method, headers, body, cache: 'no-store', credentials: 'omit', redirect: 'manual' }
  return { url: `/v1${path}${search}`, init }
}

function shown({ status, statusText, headers }, text, milliseconds) {
  const title = element('p', `${status} ${statusText}, after ${Math.round(milliseconds)} ms`)
  title.className = 'status'
  const list = element('dl')
  for (const [name, value] of headers) {
    if (!UNTOLD.includes(name)) list.append(element('dt', name), element('dd', value))
  }
  return text === '' ? [title, list] : [title, list, element('pre', readable(text))]
}

/** JSON with line ends. Numbers stay as they were sent: a parsed int64 may be another one. */
function readable(text) {
  if (!JSON.rawJSON) return text
  try {
    const exact = (_name, value, { source }) => (typeof value === 'number' ? JSON.rawJSON(source) : value)
    return JSON.stringify(JSON.parse(text, exact), null, 2)
  } catch {
    return text
  }
}

function element(name, text = '') {
  const made = document.createElement(name)
  made.textContent = text
  return made
}
