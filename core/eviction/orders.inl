// The eviction orders, one row each: name, whether it is a policy on its own, whether its state goes beyond a snapshot
// and so is carried from step to step, the word for its victims, what it does (after "uncompressed caches; "), source,
// color in charts, whether charts show it without a request. The factories of NAME are make_NAME_order and
// make_NAME_cache in NAME.cpp.
// clang-format off
KVANTAGE_EVICTION_ORDER(lru, true, false, "least recently used",
  "the least recently used one moves a tier down",
  "EvicPress section 6.1, Eviction only", 1, true)
KVANTAGE_EVICTION_ORDER(fifo, false, true, "entered first",
  "the one that entered first moves a tier down",
  "first in, first out", 6, false)
KVANTAGE_EVICTION_ORDER(lfu, true, true, "least frequently used",
  "the one with the fewest requests since it was stored moves a tier down",
  "least frequently used, as in libCacheSim", 2, false)
KVANTAGE_EVICTION_ORDER(s3fifo, true, true, "next in its queue and not requested again",
  "entries requested only once leave a small queue early; a main queue grants one more round per request",
  "Yang et al. 2023, SOSP '23", 3, false)
KVANTAGE_EVICTION_ORDER(gdsf, true, true, "saves the least for its bytes",
  "demotes the entry with the lowest requests * seconds saved / bytes, plus age",
  "GreedyDual-Size-Frequency: Cao and Irani 1997, Cherkasova 1998", 7, false)
KVANTAGE_EVICTION_ORDER(sieve, true, true, "not requested since the last sweep",
  "a hand sweeps from oldest to newest and evicts the first entry not requested since the last sweep",
  "Zhang et al. 2024, NSDI '24", 2, false)
KVANTAGE_EVICTION_ORDER(w_tinylfu, true, true, "requested less often than the entries it competes with",
  "an entry leaving the window is kept only if it was requested more often than the next LRU victim",
  "Einziger, Friedman and Manes 2017, ACM TOS", 4, false)
KVANTAGE_EVICTION_ORDER(arc, true, true, "oldest of the recent or the frequent list",
  "evicts the oldest from the recent or the frequent list; ghost hits set the balance",
  "Megiddo and Modha 2003, FAST '03", 3, false)
KVANTAGE_EVICTION_ORDER(gdsf_hits, false, true, "has the fewest requests for its bytes",
  "demotes the entry with the lowest requests / bytes, plus age: gdsf with a cost of 1",
  "GDSF as in libCacheSim; GDSF-Hits of Arlitt et al. 1999", 7, false)
KVANTAGE_EVICTION_ORDER(lhd, false, true, "has the lowest hit density",
  "demotes the entry with the fewest expected hits per byte and time, of a sample",
  "Beckmann, Chen and Cidon 2018, NSDI '18", 5, false)
// clang-format on
