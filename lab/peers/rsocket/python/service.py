"""What the server and the client share: the pattern and the stock."""

WAREHOUSES = ("ams-1", "fra-2", "iad-3", "sin-4")


def pattern(size):
    whole, rest = divmod(size, 251)
    block = bytes(range(251))
    return block * whole + block[:rest]


def answer(question):
    """The stock is what the reference service says: FNV-1a of the article's name."""
    h = 2166136261
    for b in question["sku"].encode():
        h = (h ^ b) * 16777619 & 0xFFFFFFFF
    stock = h % 100
    return {
        "sku": question["sku"],
        "available": stock >= question["quantity"],
        "inStock": stock,
        "warehouse": WAREHOUSES[h >> 8 & 3],
    }
