// Figures of PagedEviction in the order in which they are listed. NAME() is in a file of its own beside this one.
KV_FIGURE(pagedeviction_fig2)
KV_FIGURE(pagedeviction_fig3)
KV_FIGURE(pagedeviction_fig4)
KV_FIGURE(pagedeviction_throughput)
