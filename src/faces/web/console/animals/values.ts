import { bodyOf, changedFields, type Json, patchOf, type Values } from '../forms/values.ts'
import { FORM_FIELDS } from './fields.ts'

/** The animal that a form describes, as the contract has it. */
export const newPetOf = (values: Values): Json => withoutLoose(bodyOf(values, FORM_FIELDS))

/** What of a form says nothing by itself: a currency without a fee, and what goes with a birth date alone. */
function withoutLoose(pet: Json): Json {
  const { fee, birthDate, birthDateExact, age, ...others } = pet
  const { amount } = (fee ?? {}) as Json
  return {
    ...others,
    ...(amount !== undefined && { fee }),
    ...(birthDate === undefined ? age !== undefined && { age } : { birthDate }),
    ...(birthDate !== undefined && birthDateExact !== undefined && { birthDateExact }),
  }
}

/** The fields that go together: a fee is one thing in two fields. */
const TOGETHER = ['fee.amount', 'fee.currency']

/** What a form changes of an animal. */
export function petPatchOf(values: Values, touched: ReadonlySet<string>, now: Values): Json {
  const changed = changedFields(values, touched, now)
  if (TOGETHER.some((name) => changed.has(name))) for (const name of TOGETHER) changed.add(name)
  const patch = patchOf(values, changed, FORM_FIELDS)
  if (changed.has('fee.amount') && values['fee.amount'] === '') patch.fee = null
  if (values.birthDate === '') delete patch.birthDateExact
  return patch
}
