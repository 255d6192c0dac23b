// KVPR, the arithmetic of its tables: sizes of KV caches from the published shapes of the models. Without a model.
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/experiments/figures/kvpr/figures.h"
#include "core/experiments/measured_spans.h"
#include "core/policy/partial_recompute.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline kvpr_figures {
namespace {

/// A published configuration; each head has keys and values, 128 wide, in 16 bits.
struct PublishedModel {
  const char* name;
  int layers, hidden;
};
constexpr PublishedModel opt_6_7b{"OPT-6.7B", 32, 4096}, opt_13b{"OPT-13B", 40, 5120}, opt_30b{"OPT-30B", 48, 7168};

/// Units of the paper, which are binary.
struct SizeUnit {
  const char* name;
  double bytes;
};
constexpr SizeUnit mebibytes{"MiB", 1024.0 * 1024}, gibibytes{"GiB", 1024.0 * 1024 * 1024};

/// A printed size. What it was rounded from is within half of its last decimal.
struct PrintedSize {
  const char *table, *claim;
  const PublishedModel& model;
  bool is_layer;  // else of all layers
  int batch;
  int tokens, tokens_at_end;  // of a sequence; they differ where the paper does not say which of them it counts
  double printed;
  int decimals;
  const SizeUnit& unit;
};

// Table 1: a layer, at batch 32 and 1,024 tokens. Table 2: a layer, between prompt and end of 256 + 64. Tables 3 and 4:
// all layers, at batch 64, of prompt and generation.
constexpr PrintedSize sizes[] = {{"1", "kvpr/kv-size-1-6.7b", opt_6_7b, true, 32, 1024, 1024, 512, 0, mebibytes},
                                 {"1", "kvpr/kv-size-1-13b", opt_13b, true, 32, 1024, 1024, 640, 0, mebibytes},
                                 {"1", "kvpr/kv-size-1-30b", opt_30b, true, 32, 1024, 1024, 896, 0, mebibytes},
                                 {"2", "kvpr/kv-size-2-batch-1", opt_6_7b, true, 1, 256, 320, 3, 0, mebibytes},
                                 {"2", "kvpr/kv-size-2-batch-2", opt_6_7b, true, 2, 256, 320, 6, 0, mebibytes},
                                 {"2", "kvpr/kv-size-2-batch-4", opt_6_7b, true, 4, 256, 320, 12, 0, mebibytes},
                                 {"2", "kvpr/kv-size-2-batch-8", opt_6_7b, true, 8, 256, 320, 24, 0, mebibytes},
                                 {"2", "kvpr/kv-size-2-batch-16", opt_6_7b, true, 16, 256, 320, 48, 0, mebibytes},
                                 {"2", "kvpr/kv-size-2-batch-32", opt_6_7b, true, 32, 256, 320, 64, 0, mebibytes},
                                 {"3", "kvpr/kv-size-3-128-32", opt_6_7b, false, 64, 160, 160, 5.0, 1, gibibytes},
                                 {"3", "kvpr/kv-size-3-128-128", opt_6_7b, false, 64, 256, 256, 8.0, 1, gibibytes},
                                 {"3", "kvpr/kv-size-3-256-32", opt_6_7b, false, 64, 288, 288, 9.0, 1, gibibytes},
                                 {"3", "kvpr/kv-size-3-256-128", opt_6_7b, false, 64, 384, 384, 12.0, 1, gibibytes},
                                 {"3", "kvpr/kv-size-3-512-32", opt_6_7b, false, 64, 544, 544, 17.0, 1, gibibytes},
                                 {"3", "kvpr/kv-size-3-512-128", opt_6_7b, false, 64, 640, 640, 20.0, 1, gibibytes},
                                 {"4", "kvpr/kv-size-4-128-32", opt_13b, false, 64, 160, 160, 7.812, 3, gibibytes},
                                 {"4", "kvpr/kv-size-4-128-128", opt_13b, false, 64, 256, 256, 12.5, 3, gibibytes},
                                 {"4", "kvpr/kv-size-4-256-32", opt_13b, false, 64, 288, 288, 14.062, 3, gibibytes},
                                 {"4", "kvpr/kv-size-4-256-128", opt_13b, false, 64, 384, 384, 18.75, 3, gibibytes},
                                 {"4", "kvpr/kv-size-4-512-32", opt_13b, false, 64, 544, 544, 26.562, 3, gibibytes},
                                 {"4", "kvpr/kv-size-4-512-128", opt_13b, false, 64, 640, 640, 31.25, 3, gibibytes}};

int layers_of(const PrintedSize& size) { return size.is_layer ? 1 : size.model.layers; }

/// Of one token of every sequence, in the paper's unit.
double size_of_token(const PrintedSize& size) {
  constexpr int head_dim = 128;
  const RecomputeShape shape{
      .hidden = size.model.hidden, .kv_heads = size.model.hidden / head_dim, .head_dim = head_dim};
  return layers_of(size) * size.batch * shape.kv_bytes_per_token() / size.unit.bytes;
}

bool agrees(const PrintedSize& size, const MeasuredSpan& computed) {
  constexpr double noise = 1e-9;  // so that ends that touch do
  const double half = 0.5 * std::pow(10, -size.decimals) + noise;
  return computed.low <= size.printed + half && computed.high >= size.printed - half;
}

FigureTable size_table(FigureResult& result) {
  FigureTable table{"Sizes of KV caches in 16 bits, tables 1 to 4",
                    {"table", "model", "layers", "hidden", "batch", "tokens", "tokens at the end", "unit", "printed",
                     "computed", "computed at the end", "tokens of the printed size", "verdict"},
                    {}};
  std::size_t slips = 0;
  std::vector<std::string> named;
  table.rows.reserve(std::size(sizes));
  named.reserve(std::size(sizes));
  for (const PrintedSize& size : sizes) {
    const double of_token = size_of_token(size);
    const MeasuredSpan computed = span_of({exactly(of_token * size.tokens), exactly(of_token * size.tokens_at_end)});
    const bool good = agrees(size, computed);
    add_claim(result, size.claim, computed);
    table.rows.push_back({size.table, size.model.name, layers_of(size), size.model.hidden, size.batch, size.tokens,
                          size.tokens_at_end, size.unit.name, size.printed, computed.low, computed.high,
                          size.printed / of_token, good ? "agrees" : "slip"});
    if (good) continue;
    ++slips;
    named.push_back(std::string("table ") + size.table + ", batch " + std::to_string(size.batch) + ": printed " +
                    short_number(size.printed) + ", computed " + short_number(computed.low) + " - " +
                    short_number(computed.high) + " " + size.unit.name + "; it is the size of " +
                    short_number(size.printed / of_token) + " tokens a sequence");
  }
  result.findings = {"of " + std::to_string(std::size(sizes)) + " sizes, " + std::to_string(std::size(sizes) - slips) +
                         " follow from the models' shapes; slips: " + std::to_string(slips),
                     "the paper's MB and GB are MiB and GiB: its sizes are compared in these"};
  result.findings.insert(result.findings.end(), named.begin(), named.end());
  return table;
}

class SizeExamples final : public Experiment {
 public:
  SizeExamples()
      : Experiment(PaperFigure{
            .name = "kvpr/examples",
            .paper = "kvpr",
            .title = "sizes of KV caches, by arithmetic",
            .does = "Computes each size of a KV cache that tables 1 to 4 print from the model's published shape, the "
                    "batch and the lengths: a layer in tables 1 and 2, all layers in tables 3 and 4.",
            .expected = "Each printed size follows from the shape, within rounding.",
            .published = "a layer 512, 640 and 896 MB (table 1) and 3 - 64 MB (table 2); all layers 5.0 - 20.0 GB "
                         "(table 3) and 7.812 - 31.250 GB (table 4)",
            .without_model = true}) {}

  Status check(const FigureArguments&) const override { return {}; }
  Expected<std::vector<FigureResult>> run(const FigureArguments& arguments) const override {
    arguments.lines->expect_cells(1);
    FigureResult result = begin_figure(figure(), Provenance::simulated);
    result.settings = {{"bytes per number", 2}, {"head size", 128}};
    result.tables = {size_table(result)};
    arguments.lines->end_cell();
    return std::vector<FigureResult>{std::move(result)};
  }
};

}  // namespace

const Experiment& kvpr_examples() {
  static const SizeExamples experiment;
  return experiment;
}

}  // namespace kvantage::inline kvpr_figures
