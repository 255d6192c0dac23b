#include "core/experiments/studies/decode_settings.h"

namespace kvantage::inline studies {

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

std::vector<FigureSetting> with_batch(std::vector<FigureSetting> settings, const char* batch) {
  settings.insert(
      settings.begin() + 4,
      {"--max-batch", "Side by side", batch, {}, "Requests side by side; the pool has room for them", true});
  return settings;
}

std::vector<std::pair<std::string, std::string>> quick_answers(bool timed) {
  std::vector<std::pair<std::string, std::string>> options{
      {"--contexts", "1"},  {"--context-tokens", "200"}, {"--answer-tokens", "24"},
      {"--budgets", "0.5"}, {"--page-tokens", "16"},     {"--eviction-methods", "streaming_llm,knorm"}};
  if (timed) options.emplace_back("--blocks", "1");
  return options;
}

std::vector<std::pair<std::string, std::string>> quick_batch() {
  auto options = quick_answers(true);
  options.emplace_back("--max-batch", "2");
  return options;
}

const std::vector<std::string>& options_of_decoding() {
  static const std::vector<std::string> options{"--cadence", "--shared-heads"};
  return options;
}

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

FigureSetting blocks_setting(const char* blocks) {
  return {"--blocks",
          "Blocks",
          blocks,
          {},
          "Number of blocks: each times every cell once, in an order drawn for it; intervals are over the blocks"};
}

std::vector<FigureSetting> with_blocks(std::vector<FigureSetting> settings, const char* blocks) {
  settings.push_back(blocks_setting(blocks));
  return settings;
}

}  // namespace kvantage::inline studies
