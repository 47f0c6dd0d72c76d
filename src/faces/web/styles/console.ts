/** Of the console alone. */
export const CONSOLE_STYLE = `
`
