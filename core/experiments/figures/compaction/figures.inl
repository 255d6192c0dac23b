// Figures of the page on compaction, in the order in which they are listed. NAME() is in its own file in this folder.
KV_FIGURE(compaction_decode)
KV_FIGURE(compaction_overheads)
KV_FIGURE(compaction_compaction)
KV_FIGURE(compaction_long_decode)
