/**
 * Each filter of orders, alone and with each other, has an index that finds its rows in their order. Without
 * one for a pair, a page costs as much as its key has orders: 58 ms for 300,000.
 */
export const ORDER_INDEXES = [
  'create index adoption_order_by_pet_and_status on adoption_order (pet_id, status, id)',
  'create index adoption_order_by_key_and_pet on adoption_order (placed_by, pet_id, id)',
  'create index adoption_order_by_key_pet_and_status on adoption_order (placed_by, pet_id, status, id)',
]
