// The eviction orders, one row each: name, whether it is a policy on its own, whether its state goes beyond a snapshot
// and so is carried from step to step, the word for its victims, what it does (after "uncompressed caches; "), source,
// color in charts. The factories of NAME are make_NAME_order and make_NAME_cache in NAME.cpp.
// clang-format off
KVANTAGE_EVICTION_ORDER(lru, true, false, "least recently used",
  "the least recently used one moves a tier down",
  "EvicPress section 6.1, Eviction only", 1)
KVANTAGE_EVICTION_ORDER(fifo, false, true, "first that came",
  "the one that entered first moves a tier down",
  "first in, first out", 6)
KVANTAGE_EVICTION_ORDER(lfu, true, true, "least frequently used",
  "the one with the fewest requests since it was stored moves a tier down",
  "least frequently used, as in libCacheSim", 2)
KVANTAGE_EVICTION_ORDER(s3fifo, true, true, "next in its queue and not asked for again",
  "a small queue lets go who is not asked for twice, a main queue gives turns for requests",
  "Yang et al. 2023, SOSP '23", 3)
KVANTAGE_EVICTION_ORDER(gdsf, true, true, "saves the least for its bytes",
  "the one with the least requests * seconds saved / bytes, plus age, moves a tier down",
  "GreedyDual-Size-Frequency: Cao and Irani 1997, Cherkasova 1998", 7)
KVANTAGE_EVICTION_ORDER(sieve, true, true, "not asked for since the hand last came by",
  "a hand goes from the oldest to the newest and takes the first that was not asked for since it last came by",
  "Zhang et al. 2024, NSDI '24", 2)
KVANTAGE_EVICTION_ORDER(w_tinylfu, true, true, "asked for less often than what it competes with",
  "what leaves a small window stays only where it was asked for more often than the next victim of a segmented LRU",
  "Einziger, Friedman and Manes 2017, ACM TOS", 4)
KVANTAGE_EVICTION_ORDER(arc, true, true, "oldest of those asked for once, or of the others",
  "the oldest of those asked for once moves a tier down, or of the others, as what comes back tells",
  "Megiddo and Modha 2003, FAST '03", 3)
// clang-format on
