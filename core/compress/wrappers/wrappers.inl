// Wrappers of scorers, one row each: name, parameters with their defaults, what it does to the choice, the cost beyond
// that of the inner scorer, source.
KVANTAGE_WRAPPER(criticalkv, "epsilon=0.0001,first=50", "the best half, then by what their values add to the output",
                 "every value times the output matrix", "Feng et al. 2025, arXiv 2502.03805; kvpress CriticalKVPress")
KVANTAGE_WRAPPER(criticaladakv, "safeguard=20,epsilon=0.0001,first=50",
                 "as adakv, then half of each head by what values add to the output",
                 "every value times the output matrix",
                 "Feng et al. 2025, arXiv 2502.03805; kvpress CriticalAdaKVPress")
KVANTAGE_WRAPPER(chunk, "length=1024,scores=chunk", "the same share of every chunk of tokens", "nothing",
                 "Corallo and Papotti 2024, TACL 12; kvpress ChunkPress")
KVANTAGE_WRAPPER(block, "size=128", "block by block: what is kept competes with the next block",
                 "scores of all blocks for each removed fraction",
                 "Park et al. 2025, arXiv 2504.15364; kvpress BlockPress")
