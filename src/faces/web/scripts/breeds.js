// Suggests the breeds of the type of animal that a person chooses.
{
  const list = document.getElementById('breeds')
  const type =
    list && document.querySelector('[list=breeds]').form.querySelector('[name=kind], [name=categoryId]')
  type?.addEventListener('change', async () => {
    const { name, value } = type
    const response = await fetch(`/breeds?${new URLSearchParams({ [name]: value })}`)
    const breeds = response.ok ? await response.json() : []
    // Another type may have been chosen in the meantime.
    if (type.value === value) list.replaceChildren(...breeds.map((breed) => new Option(breed)))
  })
}
