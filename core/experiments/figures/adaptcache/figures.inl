// Figures of AdaptCache in the order in which they are listed. NAME() is in a file of its own beside this one.
KV_FIGURE(adaptcache_fig2)
KV_FIGURE(adaptcache_coding)
KV_FIGURE(adaptcache_paper_scale)
