import type { NewOrganization } from '../organizations/schema.ts'

/** Tells the demo from everything else in a store. */
export const DEMO_CODE = 'DEMO'

/** Where its animals are: the middle of a city. */
export const DEMO_PLACE = { city: 'Denver', region: 'CO', country: 'US', postcode: '80202' }

/** A shelter that does not exist. Its address is that of no house, and its telephone numbers nobody. */
export const DEMO_SHELTER: NewOrganization = {
  code: DEMO_CODE,
  name: 'Demo Shelter',
  email: 'shelter@example.org',
  phone: '555-0100',
  address: DEMO_PLACE,
  mission:
    'This shelter and its animals are made up, to look around in. `adoptable demo --remove` takes them away.',
  adoptionPolicy:
    'Tell us how you live and what you wish for. We answer within three days, and you meet first.',
  hours: {
    tuesday: '12:00–18:00',
    wednesday: '12:00–18:00',
    thursday: '12:00–18:00',
    friday: '12:00–18:00',
    saturday: '10:00–16:00',
  },
}
