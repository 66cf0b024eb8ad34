// What the servers on Node share: the pattern and the stock.
'use strict';

function pattern(size) {
  const b = Buffer.alloc(size);
  for (let i = 0; i < size; i++) b[i] = i % 251;
  return b;
}

const WAREHOUSES = ['ams-1', 'fra-2', 'iad-3', 'sin-4'];

// answer says what the reference service says: the stock is FNV-1a of the article's name.
function answer({ sku, quantity }) {
  let h = 2166136261;
  for (const b of Buffer.from(sku)) h = Math.imul(h ^ b, 16777619) >>> 0;
  const inStock = h % 100;
  return { sku, available: inStock >= quantity, inStock, warehouse: WAREHOUSES[(h >>> 8) & 3] };
}

module.exports = { pattern, answer };
