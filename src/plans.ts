/** How many requests a caller may make in a minute and in a day (contract, section 8.1). */
export interface Limits {
  perMinute: number
  perDay: number
}

/** The plans and their limits. Each enterprise key has its own limits. */
export const PLANS = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: 'custom',
} as const satisfies Record<string, Limits | 'custom'>

export type Plan = keyof typeof PLANS
