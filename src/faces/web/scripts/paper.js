// Shows the button to print. The browser's own menu prints the page too.
for (const button of document.querySelectorAll('[data-print]')) {
  button.hidden = false
  button.addEventListener('click', () => print())
}
