// Rows of the catalog in core_text.cpp. Regimes of the papers, and how far a session is from one.
// clang-format off
QT_TRANSLATE_NOOP("core", "Many texts asked about equally often; DRAM holds a fiftieth of their KV, SSD a fifth, and a "
                          "remote tier all of it."),
QT_TRANSLATE_NOOP("core", "The same with DRAM for two fifths of the KV, as in the simulator of EvicPress's authors: "
                          "little is left to choose."),
QT_TRANSLATE_NOOP("core", "Every text is asked about once, then any of them equally often; SSD holds four times what "
                          "DRAM does, and a load from it takes as long as prefill."),
QT_TRANSLATE_NOOP("core", "budget in % of KV, %1"),
QT_TRANSLATE_NOOP("core", "load / prefill, %1"),
QT_TRANSLATE_NOOP("core", "90th percentile of %1"),
QT_TRANSLATE_NOOP("core", "outside of %1, %2 tiers instead of %3, %4 of %5 ratios off"),
QT_TRANSLATE_NOOP("core", "outside of %1, %2 of %3 ratios off"),
QT_TRANSLATE_NOOP("core", "no verdict: %1 is %2, %3 % off the regime's %4"),
QT_TRANSLATE_NOOP("core", "no verdict: %1 is %2, not unlimited"),
QT_TRANSLATE_NOOP("core", "no verdict: %1 is unlimited, not %2"),
QT_TRANSLATE_NOOP("core", "%1 is %2, %3 % off the regime's %4"),
QT_TRANSLATE_NOOP("core", "%1 is %2, not unlimited"),
QT_TRANSLATE_NOOP("core", "%1 is unlimited, not %2"),
