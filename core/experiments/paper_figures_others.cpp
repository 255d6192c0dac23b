// AdaptCache, PagedEviction, and the page on token eviction and compaction.
#include "core/experiments/paper_figures.h"

namespace kvantage::inline experiments {
namespace {

/// A short ledger.
std::vector<std::pair<std::string, std::string>> quick_answers(bool timed) {
  std::vector<std::pair<std::string, std::string>> options{
      {"--contexts", "1"},  {"--context-tokens", "200"}, {"--answer-tokens", "24"},
      {"--budgets", "0.5"}, {"--page-tokens", "16"},     {"--eviction-methods", "streaming_llm,knorm"}};
  if (timed) options.emplace_back("--blocks", "1");
  return options;
}

std::vector<FigureSetting> decode_settings(const std::string& budgets, const std::string& pages,
                                           const std::string& eviction_methods) {
  return {{"--budgets",
           "Budgets",
           budgets,
           {},
           "Rows that a head may hold after an eviction, as a share of the prompt's tokens"},
          {"--page-tokens", "Page (tokens)", pages, {}, "Rows per block of the pool, comma-separated"},
          {"--eviction-methods",
           "Eviction methods",
           eviction_methods,
           {},
           "Decode-time eviction methods, comma-separated; `kvantage-cli methods` lists them"},
          {"--contexts", "Ledgers", "6", {}, "Contexts, with one question each"},
          {"--context-tokens", "Context (tokens)", "1024", {}, "Length of a ledger"},
          {"--answer-tokens",
           "Answer (tokens)",
           "256",
           {},
           "Minimum length of a reference answer, and number of timed decode steps"},
          {"--compact-every", "Compaction interval (steps)", "128", {}, "Decoded tokens between compaction passes"},
          {"--seed", "Seed", "1", {}, "Seed of the ledgers"}};
}

FigureSetting blocks_setting(const char* blocks) {
  return {"--blocks",
          "Blocks",
          blocks,
          {},
          "Number of blocks: each times every cell once, in an order drawn for it; intervals are over the blocks"};
}

std::vector<FigureSetting> with_blocks(std::vector<FigureSetting> settings, const char* blocks = "3") {
  settings.push_back(blocks_setting(blocks));
  return settings;
}

constexpr const char* four_methods = "paged_eviction,streaming_llm,knorm,keydiff";

std::vector<FigureSetting> throughput_settings(const char* budgets, const char* requests, const char* prompt,
                                               const char* output) {
  return {{"--budgets", "Budgets (tokens)", budgets, {}, "Rows that a head may hold after an eviction"},
          {"--page-tokens", "Page (tokens)", "16", {}, "Rows per block of the pool", true},
          {"--eviction-methods",
           "Eviction methods",
           four_methods,
           {},
           "Decode-time eviction methods, comma-separated; `kvantage-cli methods` lists them"},
          {"--contexts", "Requests", requests, {}, "Number of requests, all at once where the pool has room for them"},
          {"--context-tokens", "Prompt (tokens)", prompt, {}, "Length of each prompt, of random tokens"},
          {"--answer-tokens", "Output (tokens)", output, {}, "Tokens that each request decodes"},
          {"--compact-every", "Compaction interval (steps)", "128", {}, "Decoded tokens between compaction passes"},
          {"--width", "Model width", "512", {}, "Hidden size of the random model, a multiple of 256"},
          {"--seed", "Seed", "1", {}, "Seed of weights and prompts"}};
}

constexpr const char* default_budgets = "0.125,0.25,0.5,0.75,1";
const std::vector<std::string> of_decoding{"--cadence", "--shared-heads"};

std::vector<PaperFigure> adaptcache_figures() {
  return {
      {.name = "adaptcache/fig2",
       .paper = "adaptcache",
       .title = "AdaptCache versus one method and rate for all contexts, Poisson arrivals",
       .does = "AdaptCache's policy against KIVI at 8, 4 and 2 bits and StreamingLLM at its rates, each with LRU, "
               "under Poisson arrivals; also hits of the fast tier (its figure 1).",
       .expected = "Lower TTFT than any fixed configuration of equal quality, higher quality than any of equal TTFT, "
                   "and a higher hit rate of the fast tier.",
       .published = "1.43 - 2.4 times lower TTFT at equal quality and 6 - 55 % higher quality at equal TTFT than fixed "
                    "compression; TTFT 69 % lower than KIVI's at equal quality; DRAM hit rate 81 %, versus 38 % of "
                    "2-bit KIVI with LRU",
       .settings = {{"--workload", "Workload", "sensitivity-mix", {}, "Folder of a workload, or the name of a sample"},
                    {"--rate", "Rate (1/s)", "4", {}, "Requests per second, Poisson arrivals", true},
                    {"--budgets",
                     "Budget",
                     "0.2",
                     {},
                     "Total tier budget, as a share of the contexts' uncompressed bytes",
                     true},
                    {"--alpha",
                     "Alphas (s)",
                     {},
                     "five, scaled to the profiles",
                     "Seconds of TTFT that a unit of quality is worth, comma-separated"},
                    {"--policy",
                     "Policies",
                     {},
                     "prefill, lru, each configuration below + LRU, adaptcache",
                     "Policies as text forms, comma-separated"},
                    {"--methods",
                     "Methods",
                     "kivi8,kivi4,kivi2,streaming_llm",
                     {},
                     "Compression methods as text forms, comma-separated"},
                    {"--removed",
                     "Removed fractions",
                     "0.2714,0.5143,0.6286",
                     {},
                     "Fractions of a context's tokens that StreamingLLM removes: the paper's rates"},
                    {"--max-batch", "Max concurrency", "8", {}, "Maximum concurrent requests"},
                    {"--seeds", "Seeds", "3", {}, "Request sequences; every policy serves each of them"},
                    {"--limit",
                     "Requests per run",
                     {},
                     "as many as the workload has",
                     "Measured requests per run, after one warm-up request per context"}},
       .records_runs = true,
       .also = {"adaptcache/fig1"},
       .more = {"--profile-questions", "--quality-metric", "--seed"},
       .quick = {{"--seeds", "1"},
                 {"--limit", "4"},
                 {"--rate", "20"},
                 {"--policy", "lru,fixed(kivi4,0),adaptcache"},
                 {"--methods", "kivi4,streaming_llm"},
                 {"--removed", "0.5"},
                 {"--alpha", "0.3"}}},
  };
}

/// Side by side at most where the batch is the same for all.
std::vector<FigureSetting> with_batch(std::vector<FigureSetting> settings, const char* batch) {
  settings.insert(
      settings.begin() + 4,
      {"--max-batch", "Side by side", batch, {}, "Requests side by side; the pool has room for them", true});
  return settings;
}

std::vector<PaperFigure> paged_eviction_figures() {
  return {
      {.name = "pagedeviction/fig2",
       .paper = "pagedeviction",
       .title = "score against cache budget",
       .does = "Decodes answers about ledgers while each eviction method keeps every head within its budget, and "
               "scores them by ROUGE-L against the reference answer. Budgets are shares of the prompt, comparable to "
               "the paper's 256 to 4096 tokens of LongBench's prompts.",
       .expected = "Scores rise with the budget up to the full cache's; PagedEviction is ahead at small budgets.",
       .published = "GovReport, LLaMA-3.2-1B, budget 1024: PagedEviction about 24.5, StreamingLLM 21, KeyDiff 21.2; at "
                    "4096 29.5 where the full cache has 30. MultiNews, 3B, 1024: 23.6 "
                    "against 22.5 (inverse key L2) and 22.0 (StreamingLLM); at 4096 it nearly matches the full cache, "
                    "about 24.5",
       .settings = decode_settings(default_budgets, "16", four_methods),
       .more = of_decoding,
       .quick = quick_answers(false)},
      {.name = "pagedeviction/fig3",
       .paper = "pagedeviction",
       .title = "throughput and time per output token against cache budget",
       .does = "The same number of decoding steps for every eviction method and budget, timed in blocks, one answer at "
               "a time on this machine's CPU.",
       .expected = "Page-wise eviction methods are about as fast as StreamingLLM and faster than the full cache; "
                   "unstructured ones gain little.",
       .published = "LLaMA-1B, budget 1024: PagedEviction about 3020 tokens/s, StreamingLLM 2920, inverse key L2 and "
                    "KeyDiff 2170, full cache 2200 (37 % more); time per output token 12, 10 "
                    "and 11 % below the full cache's at 1B, 3B and 8B",
       .settings = with_blocks(decode_settings(default_budgets, "16", four_methods)),
       .more = of_decoding,
       .quick = quick_answers(true)},
      {.name = "pagedeviction/fig4",
       .paper = "pagedeviction",
       .title = "throughput and score against page size",
       .does = "Scores and times at half the prompt as budget, with pages of 8 to 128 tokens; times in blocks.",
       .expected = "Page size has little effect on throughput and even less on scores; PagedEviction scores a few "
                   "percent below the full cache.",
       .published = "up to 3.1 times the full cache's throughput, close to StreamingLLM at pages of 16 and 32; less "
                    "than 3 - 5 % of ROUGE lost, where KeyDiff and inverse key L2 lose up to "
                    "20 %",
       .settings = with_blocks(decode_settings("0.5", "8,16,32,64,128", four_methods)),
       .more = of_decoding,
       .quick = quick_answers(true)},
      {.name = "pagedeviction/throughput",
       .paper = "pagedeviction",
       .title = "throughput of many requests side by side",
       .does = "The paper's throughput setup scaled to this machine: prompts of random tokens and long outputs on a "
               "random-weight Llama of 4 layers. First the same number of requests side by side, which shows what the "
               "kernels gain; then the same pool, in which smaller caches leave room for larger batches. Eviction of "
               "single tokens runs without compaction, as in vLLM, where a block is freed when all of its tokens are "
               "evicted, and with it.",
       .expected = "PagedEviction is faster than the full cache and about as fast as StreamingLLM; eviction of single "
                   "tokens gains little without compaction. In the same pool the gain is larger.",
       .published = "LLaMA-3.2-1B on an A100, 64 requests of 1,024 + 8,192 tokens, budget 1,024: PagedEviction about "
                    "3020 tokens/s, StreamingLLM 2920, inverse key L2 and KeyDiff 2170, full cache 2200; time per "
                    "output token 10 to 12 % below the full cache's",
       .settings = with_blocks(with_batch(throughput_settings("256,1024", "16", "1024", "3072"), "8")),
       .more = {"--cadence"},
       .random_weights = true,
       .quick = {{"--width", "256"},
                 {"--context-tokens", "64"},
                 {"--answer-tokens", "32"},
                 {"--budgets", "32,64"},
                 {"--contexts", "3"},
                 {"--max-batch", "2"},
                 {"--blocks", "2"},
                 {"--eviction-methods", "paged_eviction,knorm"}}},
  };
}

std::vector<PaperFigure> compaction_figures() {
  return {
      {.name = "decode",
       .paper = "compaction",
       .title = "every eviction method on long answers at equal budget",
       .does = "Nine eviction methods and Quest's page selection decode the same ledgers at equal budgets: scores, "
               "times, blocks, score buffers.",
       .expected = "Eviction methods that use attention weights score best and are slowest; Quest reads fewer rows and "
                   "frees none.",
       .published = "Qwen3-8B, AIME 2024 at a budget of 2048: full attention 57.1 %, TriAttention 42.1, SnapKV 34.6, "
                    "R-KV 25.4; AIME 2025: 40.8, 32.9, 20.0, 17.5",
       .settings = with_blocks(
           decode_settings("0.25,0.5,0.75", "16",
                           "streaming_llm,h2o,scissorhands,tova,r_kv,triattention,paged_eviction,knorm,keydiff,quest")),
       .more = of_decoding,
       .quick = quick_answers(true)},
      {.name = "compaction/overheads",
       .paper = "compaction",
       .title = "paging overheads: blocks that a paged pool frees, score buffers that fused kernels do not have",
       .does = "The article's own cases in the real pool, with and without compaction; scores that attention holds at "
               "once, as a full matrix and in tiles; and the overhead of scoring one context during prefill, by "
               "method, in blocks.",
       .expected = "Scattered eviction frees nothing until compaction fills the free slots; methods that need "
                   "attention weights slow prefill down and need buffers.",
       .published = "scattered eviction of 90 % frees 0 of 1000 blocks, repack 900, an aligned block 1, one survivor "
                    "per block 0; one decode round: repack 18 copies, hole filling 3 for the same block; peak score "
                    "buffer 16 times smaller when fused",
       .settings =
           {{"--eviction-methods",
             "Methods",
             {},
             "every method that removes tokens",
             "Scorers whose cost is measured, comma-separated"},
            {"--context-tokens", "Context (tokens)", "1024", {}, "Length of the ledger that is scored"},
            {"--answer-tokens", "Answer (tokens)", "256", {}, "Minimum length of the ledger's reference answer"},
            {"--seed", "Seed", "1", {}, "Seed of the ledger"},
            blocks_setting("7")},
       .quick = {{"--context-tokens", "200"}, {"--eviction-methods", "knorm,snapkv"}}},
      {.name = "compaction/compaction",
       .paper = "compaction",
       .title = "blocks held and slot copies with and without compaction",
       .does = "Every eviction method decodes the same steps with repack, with hole filling and without compaction, "
               "by page size: blocks freed, copies, time per pass.",
       .expected = "Without compaction, unstructured eviction frees few blocks; with it, all evicted blocks are freed. "
                   "Hole filling needs far fewer copies.",
       .published = "TriAttention compacts about every 128 decoded tokens; decoding 32K tokens at a budget of 3,072 "
                    "2.5 times as fast (563.5 against 222.8 tokens/s) with 10.7 times less KV "
                    "memory",
       .settings = with_blocks(decode_settings("0.5", "16,32", "streaming_llm,h2o,tova,keydiff,paged_eviction")),
       .more = of_decoding,
       .quick = quick_answers(true)},
      {.name = "compaction/long-decode",
       .paper = "compaction",
       .title = "a generation of 32K tokens at a budget of 3,072",
       .does = "One request decodes 32K tokens on a random-weight Llama of 4 layers, with the full cache and with each "
               "eviction method at the budget, without compaction and with repack: speed, KV memory, time of "
               "compaction.",
       .expected = "The full cache slows down as it grows; at a budget the speed stays the same. Without compaction, "
                   "eviction of single tokens frees few blocks.",
       .published = "TriAttention, decoding 32K tokens at a budget of 3,072: 2.5 times as fast (563.5 against 222.8 "
                    "tokens/s) with 10.7 times less KV memory",
       .settings = with_blocks(throughput_settings("3072", "1", "256", "32512"), "1"),
       .more = {"--cadence"},
       .random_weights = true,
       .quick = {{"--width", "256"},
                 {"--context-tokens", "64"},
                 {"--answer-tokens", "64"},
                 {"--budgets", "32"},
                 {"--eviction-methods", "paged_eviction,knorm"}}},
  };
}

}  // namespace

std::vector<PaperFigure> other_figures() {
  return joined({adaptcache_figures, paged_eviction_figures, compaction_figures});
}

}  // namespace kvantage::inline experiments
