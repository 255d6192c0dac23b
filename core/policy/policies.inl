// The policies, one row each: name, what it does, source, parameters with their defaults and ranges, the texts that a
// user may pick (with their color in charts; `more` are drawn on request) and, where they differ from the defaults, its
// traits (PolicyTraits). The factory of NAME is make_NAME_policy in the policy's own file. Each eviction order with
// is_policy (core/eviction/orders.inl) is a policy, too.
// clang-format off
KVANTAGE_POLICY(full_prefill,
  "stores nothing; recomputes the context on every request",
  "EvicPress section 6.1, Prefill",
  {},
  {shown("full_prefill", 6)},
  {.stores = false})
KVANTAGE_POLICIES_OF_ORDERS
KVANTAGE_POLICY(fixed,
  "one configuration for all contexts, e.g. fixed(snapkv,0.5); LRU by default",
  "EvicPress section 6.1, Compression + LRU",
  {method("METHOD", "", "as in `kvantage-cli methods`"), removed_fraction("REMOVED_FRACTION"),
   one_of("eviction", eviction_choices())},
  {shown("fixed(knorm,0.5)", 6), shown("fixed(keydiff,0.5)", 2), shown("fixed(snapkv,0.5)", 3)},
  {.has_color_of_method = true, .eviction_parameter = "eviction", .keep_all_tokens_hint = "write fixed(METHOD,0)"})
KVANTAGE_POLICY(evicpress,
  "chooses tier, method and fraction per context by utility; a full tier displaces whatever costs the least utility",
  "EvicPress, arXiv 2512.14946",
  {one_of("start", "utility|quality", "utility (section 4.4) or quality (algorithm 1)"),
   one_of("drop", "absolute|per_byte|best", "absolute (paper), per_byte (its code), best of both"),
   one_of("prices", "none|lp", "lp: charge space on lower tiers at LP shadow prices"),
   one_of("quality", "pooled|raw", "pooled: shrunk towards other contexts; raw (paper): means over the profile"),
   whole_number("replan_requests", 16, "re-plan every N requests; 0: only for new contexts, profiles or settings")},
  {shown("evicpress", 0), more("evicpress(start=quality)", 5), more("evicpress(drop=per_byte)", 3),
   more("evicpress(drop=best)", 4)})
KVANTAGE_POLICY(formula,
  "plans as evicpress does, by a utility of your own: a formula over alpha, quality, ttft, frequency, bytes and others",
  "the planning of EvicPress, arXiv 2512.14946, section 4.4, with another utility",
  {expression("EXPRESSION", "a formula; the plan has the largest sum of its values over contexts that it finds"),
   one_of("drop", "absolute|per_byte|best", "as evicpress"),
   one_of("quality", "pooled|raw", "as evicpress"),
   whole_number("replan_requests", 16, "as evicpress")},
  {more("formula((alpha*quality-ttft)*frequency/bytes^0.5)", 1)})
KVANTAGE_POLICY(adaptcache,
  "contexts enter the fast tier uncompressed; when it is full, the lowest utility per byte is displaced; LRU below",
  "AdaptCache, arXiv 2509.00105",
  {one_of("utility", "described|printed",
          "described, frequency * (alpha * quality - delay), or printed, frequency * alpha * quality - delay"),
   one_of("quality", "dataset|context", "dataset, means over a family, or context"),
   one_of("pool", "session|paper", "session, its candidates, or paper, KIVI and StreamingLLM of them")},
  {shown("adaptcache", 7), more("adaptcache(utility=printed)", 2)})
KVANTAGE_POLICY(impress,
  "stores every context whole in chunks of tokens and reads those that hold tokens important to the question",
  "IMPRESS, Chen et al. 2025, FAST '25, as a baseline of EvicPress section 6.1",
  {kept_fraction("kept", "0.5"), whole_number("chunk", 64, "tokens of a chunk"),
   whole_number("probes", 3, "KV heads whose keys are read first, to find the important tokens")},
  {shown("impress(kept=0.5)", 5)})
KVANTAGE_POLICY(optimal,
  "optimal plan by branch and bound, then by a MILP solver; what limits end is the best found, with its gap",
  "branch and bound on the multiple-choice knapsack of EvicPress section 4.4",
  {whole_number("replan_requests", 16, "as evicpress")},
  {more("optimal", 6)},
  {.plans_at_scale = false})
KVANTAGE_POLICY(important_fraction,
  "stores only the important fraction of every context; the lowest importance times frequency moves a tier down",
  "after IMPRESS, Chen et al. 2025, FAST '25, with importance computed before any question is known",
  {kept_fraction("kept", "0.5"), method("method", "chunkkv(snapkv)", "scorer that selects the important tokens")},
  {more("important_fraction(kept=0.5)", 2)},
  {.keep_all_tokens_hint = "keep every token with kept=1"})
// clang-format on
