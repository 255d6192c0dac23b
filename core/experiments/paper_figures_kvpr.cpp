// KVPR (004): partial recomputation while the rest of a cache is loading.
#include "core/experiments/paper_figures.h"

namespace kvantage::inline experiments {
namespace {

FigureSetting width_setting(const char* column_width) {
  return {"--width",
          "Model width",
          column_width,
          {},
          "Hidden size of the random-weight model, a multiple of 64; heads are 64 wide",
          true};
}

FigureSetting bandwidth_setting() {
  return {"--bandwidth",
          "Bandwidth (MB/s)",
          {},
          "where loading a token takes as long as recomputing it",
          "Bandwidth that the tier is throttled to, in MB/s",
          true};
}

FigureSetting blocks_setting() {
  return {"--blocks",
          "Blocks",
          "3",
          {},
          "Number of blocks: each measures every cell once, in an order drawn for it; intervals are over the blocks"};
}

/// For the figure of a single step.
std::vector<FigureSetting> step_settings(const char* prompt, const char* generated) {
  return {{"--context-tokens", "Prompt (tokens)", prompt, {}, "Length of the longest prompt, of random tokens"},
          {"--answer-tokens", "Generated (tokens)", generated, {}, "Maximum number of decoded tokens"},
          {"--seed", "Seed", "1", {}, "Seed of the weights and the prompt"},
          bandwidth_setting()};
}

/// For the figure with its own widths.
std::vector<FigureSetting> length_settings(const char* prompt, const char* generated) {
  auto settings = step_settings(prompt, generated);
  settings.push_back(blocks_setting());
  return settings;
}

std::vector<FigureSetting> offload_settings(const char* prompt, const char* generated,
                                            const char* column_width = "1024") {
  auto settings = length_settings(prompt, generated);
  settings.push_back(width_setting(column_width));
  return settings;
}

/// Without blocks.
std::vector<FigureSetting> single_settings(const char* prompt, const char* generated) {
  auto settings = step_settings(prompt, generated);
  settings.push_back(width_setting("1024"));
  return settings;
}

std::vector<FigureSetting> batch_settings(const char* prompt, const char* generated, const char* batch,
                                          const char* column_width) {
  auto settings = offload_settings(prompt, generated, column_width);
  settings.push_back({"--max-batch", "Sequences", batch, {}, "Maximum batch size", true});
  return settings;
}

constexpr const char* on_random_opt =
    " A random-weight OPT of 4 layers with heads 64 wide, on a tier in memory throttled to a bandwidth, by default so "
    "that loading a token takes as long as recomputing it.";

std::vector<PaperFigure> kvpr_tables() {
  return {
      {.name = "kvpr/table1",
       .paper = "kvpr",
       .title = "loading a layer's KV cache versus computing the layer",
       .does = std::string("Widths 256, 512 and 1,024: time to transfer a layer's keys and values, time to recompute "
                           "them, and time to compute a layer of a decode step. The bandwidth is that of the widest.") +
               on_random_opt,
       .expected = "Transfer takes longer than compute, and both grow with the width: the processor stalls.",
       .published = "A100, PCIe 4.0: hidden 4,096 (512 MB) 15.6 ms to transfer and 0.3509 ms to compute; 5,120 (640 "
                    "MB) 19.5 and 0.4388; 7,168 (896 MB) 27.3 and 0.6143: 44 times as long",
       .settings = length_settings("1024", "8"),
       .quick = {{"--context-tokens", "128"}, {"--answer-tokens", "8"}, {"--blocks", "2"}}},
      {.name = "kvpr/table2",
       .paper = "kvpr",
       .title = "weights streamed as well: recomputing after all of them, or after W_K and W_V",
       .does = std::string("Batches of 1, 2, 4, 8, 16 and 32 sequences column by column, with every layer's matrices "
                           "streamed from the tier once per step: loading alone (as FlexGen does), the split that "
                           "starts after all weights, and the split that starts after W_K and W_V.") +
               on_random_opt,
       .expected =
           "The split after W_K and W_V is never slower than loading alone, and faster where keys and values dominate.",
       .published = "OPT-6.7B, prompt 256, 64 generated, batch 1 - 32: 1.761 - 41.210 tokens/s (FlexGen), 1.749 - "
                    "43.462 (without hiding), 1.774 - 43.945 (with)",
       .settings = offload_settings("256", "16", "512"),
       .quick = {{"--width", "256"}, {"--context-tokens", "64"}, {"--answer-tokens", "8"}, {"--blocks", "2"}}},
      {.name = "kvpr/table5",
       .paper = "kvpr",
       .title = "decode throughput on a slower machine",
       .does = std::string("Half the threads and half the link bandwidth of the other figures; prompts of a quarter, "
                           "half and all of the length, a quarter and all of the generated tokens, a batch decoded "
                           "column by column, weights streamed: loading alone (FlexGen) versus the solved split.") +
               on_random_opt,
       .expected = "The split decodes more tokens per second at every length.",
       .published = "OPT-6.7B on a Quadro RTX 5000 over PCIe 4.0 x8: 6.6 - 15.9 % more tokens/s than FlexGen (table 5)",
       .settings = batch_settings("1024", "16", "4", "512"),
       .quick = {{"--width", "256"},
                 {"--context-tokens", "192"},
                 {"--answer-tokens", "8"},
                 {"--blocks", "2"},
                 {"--max-batch", "2"}}},
  };
}

std::vector<PaperFigure> length_figures() {
  return {
      {.name = "kvpr/fig3",
       .paper = "kvpr",
       .title = "the pipeline of a decode step, loading alone and split",
       .does = std::string("Timeline of the last step of a short generation, layer by layer: transfers of weights, "
                           "layer inputs, keys and values over the link; recomputation of keys and values and the "
                           "layer itself on the processor. Weights are streamed, W_K and W_V first.") +
               on_random_opt,
       .expected = "Recomputing keys and values overlaps with loading the others, and the processor stalls less.",
       .published = "A drawing of the two pipelines (figure 3), without numbers",
       .settings = single_settings("1024", "8"),
       .quick = {{"--width", "256"}, {"--context-tokens", "192"}, {"--answer-tokens", "8"}}},
      {.name = "kvpr/fig6",
       .paper = "kvpr",
       .title = "decode throughput against length and batch, column by column",
       .does = std::string("A batch decodes column by column: each layer for all sequences before the next layer, with "
                           "every layer's matrices streamed once per step. Loading alone (FlexGen) versus the solved "
                           "split, over prompts of a quarter, half and all of the length with half as many sequences, "
                           "and over batches from one sequence to all.") +
               on_random_opt,
       .expected = "The split has higher throughput everywhere. Its gain grows with the batch, as keys and values then "
                   "outweigh the matrices.",
       .published = "Up to 15.1, 46.2 and 29.0 % more tokens/s than FlexGen with OPT-6.7B, 13B and 30B; more with "
                    "larger batches (figure 6)",
       .settings = batch_settings("1024", "16", "8", "512"),
       .quick = {{"--width", "256"},
                 {"--context-tokens", "192"},
                 {"--answer-tokens", "8"},
                 {"--blocks", "2"},
                 {"--max-batch", "3"}}},
      {.name = "kvpr/fig7",
       .paper = "kvpr",
       .title = "decode latency and throughput against prompt and generation length",
       .does = std::string("Prompts of a quarter, half and all of the length, a quarter and all of the generated "
                           "tokens: loading alone (as Accelerate does) versus the solved split, one sequence at a "
                           "time, with the scheduler's predictions, next to the paper's tables 3 and 4.") +
               on_random_opt + " On the command line, --model selects another model.",
       .expected = "The split takes less time than loading alone at every length, with the same answers.",
       .published = "OPT-6.7B, batch 64: decode latency 14.8 - 35.8 % lower than Accelerate's (table 3); OPT-13B 10.5 "
                    "- 19.8 % (table 4)",
       .settings = offload_settings("1024", "32"),
       .also = {"kvpr/table3", "kvpr/table4"},
       .more = {"--model"},
       .quick = {{"--width", "256"}, {"--context-tokens", "256"}, {"--answer-tokens", "8"}, {"--blocks", "2"}}},
  };
}

std::vector<PaperFigure> throughput_figures() {
  return {
      {.name = "kvpr/fig9",
       .paper = "kvpr",
       .title = "decoding with 4-bit keys and values",
       .does = std::string("Loading alone and the solved split, both unquantized, and loading alone with keys and "
                           "values in 4 bits in groups of 32 (kivi4 without a residual): time per token, bytes "
                           "transferred, share of unchanged greedy tokens. Layer inputs are not quantized; where they "
                           "are larger than the quantized keys and values, the scheduler refuses a split.") +
               on_random_opt,
       .expected = "4 bits transfer about a quarter of the bytes and take less time than either unquantized variant.",
       .published = "OPT-13B: decoding throughput rises with compression enabled (figure 9, no numbers given)",
       .settings = offload_settings("1024", "16"),
       .quick = {{"--width", "256"}, {"--context-tokens", "192"}, {"--answer-tokens", "8"}, {"--blocks", "2"}}},
      {.name = "kvpr/fig10",
       .paper = "kvpr",
       .title = "time breakdown of a decode step, loading alone and split",
       .does =
           std::string(
               "Shares of a step: waiting for the link, recomputing keys and values, everything else; bytes of keys "
               "and values and of layer inputs, and the share of the time that they take at the link's bandwidth; "
               "share of the time that the processor is busy (its figure 8).") +
           on_random_opt,
       .expected = "The split transfers less and the processor stalls less: it recomputes while bytes load.",
       .published = "KV transfer 58 -> 38 % of the run time, layer inputs 8 %, GPU computation 2.3 -> 13.3 % (figure "
                    "10); GPU utilization 85 -> 99 % (figure 8)",
       .settings = offload_settings("1024", "16"),
       .also = {"kvpr/fig8"},
       .quick = {{"--width", "256"}, {"--context-tokens", "192"}, {"--answer-tokens", "8"}, {"--blocks", "2"}}},
  };
}

std::vector<PaperFigure> ablation_figures() {
  return {
      {.name = "kvpr/fig12",
       .paper = "kvpr",
       .title = "the optimal split over the generation",
       .does = std::string("Recomputed tokens per layer at each generated token, as the scheduler solves the split at "
                           "each step, with predicted and measured time, averaged over the blocks. Splits are whole "
                           "chunks of 64 tokens of the "
                           "prompt only, as inputs of decoded tokens are not kept.") +
               on_random_opt,
       .expected = "The split changes with the sequence length and the step times; predictions are accurate.",
       .published = "OPT-6.7B, batch 64, prompt 128, 32 generated: l is solved at each step; the paper's text gives "
                    "182 at the first and 128 at the 32nd token and says that it increases",
       .settings = offload_settings("512", "96"),
       .quick = {{"--width", "256"}, {"--context-tokens", "192"}, {"--answer-tokens", "8"}, {"--blocks", "2"}}},
      {.name = "kvpr/fig13",
       .paper = "kvpr",
       .title = "decode throughput with the Llama 2 architecture",
       .does =
           "Prompts of a quarter, half and all of the length, a quarter and all of the generated tokens, decoded "
           "as a batch: loading alone (Accelerate) versus the solved split. A random-weight Llama of 4 layers "
           "(heads 64 wide with keys and values each, RoPE, RMSNorm, gated MLP), on a tier in memory throttled to a "
           "bandwidth, by default so that loading a token takes as long as recomputing it.",
       .expected =
           "The split decodes more tokens per second at every length: recomputed keys are rotated to their positions.",
       .published = "Consistently more tokens/s than DeepSpeed Inference and Accelerate with LLaMa2-7B and 13B, batch "
                    "64 (figure 13, no numbers given)",
       .settings = batch_settings("1024", "16", "4", "1024"),
       .quick = {{"--width", "256"},
                 {"--context-tokens", "192"},
                 {"--answer-tokens", "8"},
                 {"--blocks", "2"},
                 {"--max-batch", "2"}}},
      {.name = "kvpr/context-load",
       .paper = "kvpr",
       .title = "a prompt's whole cache: loading, recomputing, and split",
       .does = std::string("Prompts of a quarter, half and all of the length, prefilled and written with their layer "
                           "inputs, are restored into a resident cache: loading keys and values alone, recomputing all "
                           "of them from layer inputs, and the solved split; measured and predicted seconds and bytes, "
                           "averaged over the blocks. Each cache is compared with the prefill's, bit for bit.") +
               on_random_opt + " On the command line, --model selects another model.",
       .expected = "The split is faster than either alone, and transfers as many bytes as predicted.",
       .published = "No such figure: the paper splits each decode step. Here the same split serves a context that is "
                    "loaded once and then stays resident",
       .settings =
           {{"--context-tokens", "Prompt (tokens)", "1024", {}, "Length of the longest prompt, of random tokens"},
            {"--seed", "Seed", "1", {}, "Seed of the weights and the prompt"},
            bandwidth_setting(),
            blocks_setting(),
            width_setting("1024")},
       .more = {"--model"},
       .quick = {{"--width", "256"}, {"--context-tokens", "192"}, {"--blocks", "2"}}},
  };
}

}  // namespace

std::vector<PaperFigure> kvpr_figures() {
  std::vector<PaperFigure> figures = joined({kvpr_tables, length_figures, throughput_figures, ablation_figures});
  for (PaperFigure& figure : figures) figure.random_weights = true;
  return figures;
}

}  // namespace kvantage::inline experiments
