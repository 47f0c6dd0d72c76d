// The script of /docs. It searches the page, sends the request of a "Try it" form to this server, and shows the
// response. For each request, it reads the API key from the key field, and it stores the key nowhere.

/** Headers about the connection. The page does not show them. */
const HIDDEN_HEADERS = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']

const key = document.querySelector('#key')

// Makes the form of a part when the part is opened. `toggle` also covers parts that a link or the browser's
// search opens. It comes so late that a person may already have pressed Tab, so a click makes the form too.
addEventListener('click', ({ target }) => makeForm(target.closest('summary')?.parentElement))
addEventListener('toggle', ({ target }) => makeForm(target), { capture: true })

function makeForm(part) {
  const template = part?.querySelector(':scope > template')
  template?.replaceWith(template.content)
}

addEventListener('submit', (event) => {
  event.preventDefault()
  if (event.target.ariaBusy !== 'true') send(event.target)
})

// Opens the part that the address names, because not all browsers do.
addEventListener('hashchange', reveal)
reveal()

function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  const part = target?.closest('.entry')
  if (!part || part.open) return
  part.open = true
  target.scrollIntoView()
}

// Only a wide page has room for an open table of contents.
document.querySelector('nav details').open = matchMedia('(min-width: 60rem)').matches

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

const MAX_RESULTS = 20
let entries

document.querySelector('#search').addEventListener('input', ({ target }) => {
  // Operations and objects, and the rows with members, parameters and errors.
  const parts = '.entry > summary, main table:not(.narrow-first) > tbody > tr'
  entries ??= [...document.querySelectorAll(parts)].map(entryOf)
  const query = target.value.trim().toLowerCase()
  const words = query.split(/\s+/)
  const rank = ({ name, isRow }) =>
    name.includes(query) ? Number(isRow) + Number(isRow && !name.startsWith(query)) : 3
  const found = entries
    .filter(({ text }) => query !== '' && words.every((word) => text.includes(word)))
    .sort((one, other) => rank(one) - rank(other))
  const shown = found.slice(0, MAX_RESULTS)
  const count = found.length > MAX_RESULTS ? `the first ${MAX_RESULTS} of ${found.length}` : found.length
  document.querySelector('#found').value = query && `Results: ${count}`
  document.querySelector('#results').replaceChildren(...shown.map(resultOf))
})

function entryOf(part) {
  const isRow = part.localName === 'tr'
  const label = isRow ? (part.querySelector('th code') ?? part.cells[0]).textContent : titleOf(part)
  return { part, isRow, label, name: label.toLowerCase(), text: part.textContent.toLowerCase() }
}

/** The heading of a part without its badges. */
const titleOf = (part) => part.querySelector('h2, h3').firstChild.textContent

function resultOf({ part, isRow, label }) {
  const place = isRow ? titleOf(part.closest('.entry, section')) : part.querySelector('code')?.textContent
  const link = element('a', label)
  link.href = `#${(isRow ? part.closest('[id]') : part.nextElementSibling).id}`
  link.addEventListener('click', () => {
    const opened = part.closest('.entry')
    if (opened) opened.open = true
    if (isRow) part.tabIndex = -1
    // After the browser has followed the link.
    setTimeout(() => part.focus())
  })
  const item = element('li')
  item.append(link, element('small', place))
  return item
}
