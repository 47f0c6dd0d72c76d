export { up } from '../bonds.ts'
