#include "core/policy/policy_info.h"

namespace kvantage {

const std::vector<PolicyInfo>& policy_infos() {
  static const std::vector<PolicyInfo> infos{
      {"full_prefill", "full_prefill", "", "stores nothing: every request computes its context anew",
       "EvicPress section 6.1, Prefill"},
      {"lru", "lru", "", "uncompressed caches; the least recently used one moves a tier down",
       "EvicPress section 6.1, Eviction only"},
      {"lfu", "lfu", "", "uncompressed caches; the one with the fewest requests since it was stored moves a tier down",
       "least frequently used, as in libCacheSim"},
      {"s3fifo", "s3fifo", "",
       "uncompressed caches; a small queue lets go who is not asked for twice, a main queue gives turns for requests",
       "Yang et al. 2023, SOSP '23"},
      {"gdsf", "gdsf", "",
       "uncompressed caches; the one with the least requests * seconds saved / bytes, plus age, moves a tier down",
       "GreedyDual-Size-Frequency: Cao and Irani 1997, Cherkasova 1998"},
      {"fixed", "fixed(METHOD,REMOVED_FRACTION,eviction=lru)",
       "METHOD as in `kvantage-cli methods`; eviction: lru, lfu, s3fifo, gdsf",
       "every context in one form, e.g. fixed(snapkv,0.5); eviction as above",
       "EvicPress section 6.1, Compression + LRU"},
      {"evicpress", "evicpress(start=utility,drop=absolute,prices=none,replan_requests=16)",
       "start: utility (section 4.4) or quality (algorithm 1); drop: absolute (paper), per_byte (its code), best of "
       "both; "
       "prices: lp charges room on lower tiers at the prices of the linear relaxation; "
       "replan_requests: plan again at every so many requests, 0 = never for that",
       "tier, method and fraction of each context by utility; where a tier is full, the least drop of utility first",
       "EvicPress, arXiv 2512.14946"},
      {"adaptcache", "adaptcache(utility=described,quality=dataset,pool=session)",
       "utility: described, frequency * (alpha * quality - delay), or printed, frequency * alpha * quality - delay; "
       "quality: "
       "dataset, means over a family, or context; pool: session, its candidates, or paper, KIVI and StreamingLLM of "
       "them",
       "contexts enter the fast tier uncompressed; when it is full, the least utility per byte is given up there; lru "
       "below",
       "AdaptCache, arXiv 2509.00105"},
      {"impress", "impress(kept=0.5,method=chunkkv(snapkv))",
       "kept: fraction of tokens; method: what finds the important ones",
       "stores only the important fraction of every context; the lowest importance times frequency moves a tier down",
       "after IMPRESS, Chen et al. 2025, FAST '25, as a baseline of EvicPress section 6.1"},
      {"optimal", "optimal(replan_requests=16)", "replan_requests: as evicpress",
       "the best plan of all, proven by search; past 256 contexts or a million nodes the best found, marked not proven",
       "branch and bound on the multiple-choice knapsack of EvicPress section 4.4"},
  };
  return infos;
}

}  // namespace kvantage
