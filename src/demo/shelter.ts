import type { NewOrganization } from '../organizations/schema.ts'

/** The organization code that identifies the demo shelter. */
export const DEMO_CODE = 'DEMO'

/** The place of the demo animals: a city center. */
export const DEMO_PLACE = { city: 'Denver', region: 'CO', country: 'US', postcode: '80202' }

/** The demo shelter. Its telephone number is fictitious, and its address has no street. */
export const DEMO_SHELTER: NewOrganization = {
  code: DEMO_CODE,
  name: 'Demo Shelter',
  email: 'shelter@example.org',
  phone: '555-0100',
  address: DEMO_PLACE,
  mission:
    'This shelter and its animals are made up so that you can look around. Run `adoptable demo --remove` to remove them.',
  adoptionPolicy:
    'Tell us about your home and what you are looking for. We answer within three days, and you meet the animal first.',
  hours: {
    tuesday: '12:00–18:00',
    wednesday: '12:00–18:00',
    thursday: '12:00–18:00',
    friday: '12:00–18:00',
    saturday: '10:00–16:00',
  },
}
