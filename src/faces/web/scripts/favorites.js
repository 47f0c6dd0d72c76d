// Keeps favorite animals in this browser, and shares the page of an animal. The gallery works without this
// script.

const KEY = 'favorites'
const MAX_FAVORITES = 24

/** The ids of the favorites, newest first. */
function readFavorites() {
  try {
    const ids = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(ids) ? ids.filter(Number.isSafeInteger) : []
  } catch {
    return []
  }
}

/** Browsers may forbid a page to store anything. Then there are no favorites. */
function canStore() {
  try {
    localStorage.setItem(KEY, JSON.stringify(readFavorites()))
    return true
  } catch {
    return false
  }
}

const nav = document.querySelector('.top nav')
const link = document.createElement('a')
const label = document.createElement('span')
const count = document.createElement('span')
label.className = 'visually-hidden'
label.textContent = `${nav?.dataset.favorites} `
link.append(label, count)

const buttons = () => document.querySelectorAll('button[data-favorite]')

function showFavorites() {
  const ids = readFavorites()
  link.href = `/favorites?${ids.map((id) => `id=${id}`).join('&')}`
  link.hidden = ids.length === 0
  count.textContent = `♥ ${ids.length}`
  for (const button of buttons()) button.ariaPressed = String(ids.includes(Number(button.dataset.favorite)))
}

function keep(ids) {
  localStorage.setItem(KEY, JSON.stringify(ids.slice(0, MAX_FAVORITES)))
  showFavorites()
}

function toggle({ currentTarget }) {
  const id = Number(currentTarget.dataset.favorite)
  const ids = readFavorites()
  const others = ids.filter((one) => one !== id)
  keep(others.length < ids.length ? others : [id, ...ids])
}

/** Removes animals that are no longer listed. They have no card with a button. */
function removeGone({ currentTarget }) {
  const gone = currentTarget.dataset.gone.split(' ').map(Number)
  keep(readFavorites().filter((id) => !gone.includes(id)))
  location.replace(link.href)
}

/** Adds a button to the card of an animal. */
function addButton(card) {
  const to = card.querySelector('a')
  const id = /^\/animals\/(\d+)/.exec(to.getAttribute('href'))?.[1]
  if (!id) return
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'heart'
  button.dataset.favorite = id
  button.ariaLabel = `${nav.dataset.favorite}: ${to.textContent}`
  card.append(button)
}

if (nav && canStore()) {
  nav.append(link)
  for (const card of document.querySelectorAll('.card')) addButton(card)
  for (const button of buttons()) {
    button.classList.remove('scripted')
    button.addEventListener('click', toggle)
  }
  for (const button of document.querySelectorAll('[data-gone]')) {
    button.classList.remove('scripted')
    button.addEventListener('click', removeGone)
  }
  showFavorites()
  addEventListener('storage', showFavorites)
  addEventListener('pageshow', showFavorites)
  if (location.pathname === '/favorites' && location.search === '' && !link.hidden)
    location.replace(link.href)
}

const address = () => document.querySelector('link[rel=canonical]').href

// Phones have a menu to share a page. Other browsers copy the address.
for (const button of document.querySelectorAll('[data-share]')) {
  if (navigator.share) button.textContent = button.dataset.share
  else if (!navigator.clipboard) continue
  button.classList.remove('scripted')
  button.addEventListener('click', async () => {
    // Closing the menu rejects the promise.
    if (navigator.share)
      return navigator.share({ title: document.title, url: address() }).catch(() => undefined)
    await navigator.clipboard.writeText(address())
    button.textContent = button.dataset.copied
    button.parentElement.querySelector('[role=status]').textContent = button.dataset.copied
  })
}
