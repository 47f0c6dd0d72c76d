// Runs in a page that another site shows in a frame. Sends the height of the page to that site.
const sendHeight = () => {
  const { height } = document.body.getBoundingClientRect()
  parent.postMessage({ adoptable: 'height', height: Math.ceil(height) }, '*')
}
new ResizeObserver(sendHeight).observe(document.body)
sendHeight()
