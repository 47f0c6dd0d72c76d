// The script of /docs. It sends the request of a "Try it" form to this server and shows the response. For
// each request, it reads the API key from the key field, and it stores the key nowhere.

/** Headers about the connection. The page does not show them. */
const HIDDEN_HEADERS = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']

const key = document.querySelector('#key')

for (const form of document.querySelectorAll('form[data-method]')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (form.ariaBusy !== 'true') send(form)
  })
}

// On a phone, an open table of contents would push the page down.
const contents = document.querySelector('nav details')
contents.open = matchMedia('(min-width: 60rem)').matches

async function send(form) {
  const output = form.parentElement.querySelector('.answer')
  form.ariaBusy = 'true'
  try {
    const { url, init } = requestOf(form)
    const startedAt = performance.now()
    const response = await fetch(url, init)
    const text = await response.text()
    output.replaceChildren(...elementsFor(response, text, performance.now() - startedAt))
  } catch (error) {
    output.replaceChildren(
      element('p', `No response: ${error.message}. Check your connection, then try again.`),
    )
  } finally {
    form.ariaBusy = 'false'
  }
}

/** The request of a form, without its empty fields. */
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
    for (const item of values) query.append(name, item.trim())
  }
  if (type && body !== undefined) headers.set('Content-Type', body.type || type)
  const search = query.size > 0 ? `?${query}` : ''
  // Shows responses as the server sends them, without the cache and without following redirects.
  const init = { method, headers, body, cache: 'no-store', credentials: 'omit', redirect: 'manual' }
  return { url: `/v1${path}${search}`, init }
}

function elementsFor({ status, statusText, headers }, text, milliseconds) {
  const title = element('p', `${status} ${statusText} (${Math.round(milliseconds)} ms)`)
  title.className = 'status'
  const list = element('dl')
  for (const [name, value] of headers) {
    if (!HIDDEN_HEADERS.includes(name)) list.append(element('dt', name), element('dd', value))
  }
  return text === '' ? [title, list] : [title, list, element('pre', readable(text))]
}

/** Indented JSON. Numbers keep their original text, because parsing would round large int64 values. */
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
  const created = document.createElement(name)
  created.textContent = text
  return created
}
