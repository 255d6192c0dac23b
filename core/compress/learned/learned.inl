// The rows of scorers.inl for this folder, in the same form. A scorer without a file in its default form cannot run
// with it: weight_methods() lists it.
KVANTAGE_SCORER(qfilter, "filters=context,digest=any", "keeps keys against the main direction of the queries",
                "keys; without filters all queries", "one product per key; without filters a direction of the queries",
                "Godey et al. 2025, Q-Filters, arXiv 2503.02812; kvpress QFilterPress")
KVANTAGE_SCORER(kvzap, "weights=none,digest=any", "keeps tokens that a trained model of KVzip's scores keeps",
                "hidden states, weights of a file", "a small network per token and layer, a second prefill",
                "KVzap, arXiv 2601.07891; kvpress KVzapPress")
KVANTAGE_SCORER(fastkvzip, "weights=none,sinks=4,digest=any", "keeps tokens that trained gates keep",
                "hidden states, weights of a file", "a small gate per token and layer, a second prefill",
                "Kim et al. 2026, Fast KVzip, arXiv 2601.17668; kvpress FastKVzipPress is global(fastkvzip)")
