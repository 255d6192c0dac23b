"""SplitMix64 with the derived draws of core/base/random.h, for scripts that repeat the numbers of a test."""

MASK = (1 << 64) - 1


class SplitMix:
    def __init__(self, seed):
        self.state = seed & MASK

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def uniform(self):
        return (self.next() >> 11) / (1 << 53)

    def below(self, bound):
        return (self.next() * bound) >> 64

    def shuffled(self, items):
        items = list(items)
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]
        return items


def derived(seed, purpose):
    """The seed of a stream of its own, as derive_seed gives it."""
    return SplitMix(seed ^ ((purpose * 0xD1342543DE82EF95) & MASK)).next()
