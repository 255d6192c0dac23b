// EvicPress, the arithmetic of its text: each number of section 4.2 from the others that the section prints, and the
// sizes of KV caches in sections 2.2 and 6.2. Without a model.
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/experiments/figures/evicpress/figures.h"
#include "core/experiments/measured_spans.h"
#include "core/experiments/verdict.h"
#include "core/policy/partial_recompute.h"
#include "core/policy/plan_text.h"
#include "core/policy/utility.h"

namespace kvantage::inline evicpress_figures {
namespace {

/// A number of the paper with its decimals; what it was rounded from is within half of the last one.
struct Printed {
  double value = 0;
  int decimals = 2;
  double half_step() const { return 0.5 * std::pow(10, -decimals); }
};

// keydiff in section 4.2, at fractions of 2wikimQA (2w) and NarrativeQA (nq).
constexpr Printed quality_2w_06{0.65}, ttft_2w_06{0.05}, utility_2w_06{0.607, 3};
constexpr Printed quality_2w_04{0.82}, ttft_2w_04{0.20}, quality_2w_02{0.92}, ttft_2w_02{0.24};
constexpr Printed quality_nq_09{0.67}, ttft_nq_09{0.05}, utility_nq_09{0.621, 3};
constexpr Printed alpha_02_over_04{0.3, 1};

using Inputs = std::span<const double>;

/// `formula` computes the printed number from other printed ones.
struct ExampleRow {
  const char* quantity;
  Printed printed;
  const char* formula;
  std::vector<Printed> from;
  double (*compute)(Inputs);
  const char* claim = nullptr;  // of what the paper computes; null: its equations, solved for one of the inputs
  bool is_comparable = true;    // false: `from` may be of another device
};

/// With the smallest and the largest value that the rounding of the inputs allows: formulas are monotone in each.
struct Derived {
  double value = 0, low = 0, high = 0;
};

Derived derive(const ExampleRow& row) {
  std::vector<double> inputs(row.from.size());
  std::ranges::transform(row.from, inputs.begin(), &Printed::value);
  Derived derived;
  derived.value = derived.low = derived.high = row.compute(inputs);
  for (std::size_t corner = 0; corner < std::size_t{1} << row.from.size(); ++corner) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      inputs[i] = row.from[i].value + ((corner >> i & 1) == 0 ? -1 : 1) * row.from[i].half_step();
    const double value = row.compute(inputs);
    derived.low = std::min(derived.low, value);
    derived.high = std::max(derived.high, value);
  }
  return derived;
}

enum class Check { agrees, within_rounding, slip, not_comparable };
const char* text_of(Check check) {
  switch (check) {
    case Check::agrees:
      return "agrees";
    case Check::within_rounding:
      return "within rounding";
    case Check::slip:
      return "slip";
    case Check::not_comparable:
      break;
  }
  return "not comparable";
}

Check check_of(const Printed& printed, const Derived& derived) {
  constexpr double noise = 1e-9;  // of binary fractions, so that two ends that touch do
  const double half = printed.half_step() + noise;
  if (std::abs(derived.value - printed.value) <= half) return Check::agrees;
  return derived.low <= printed.value + half && derived.high >= printed.value - half ? Check::within_rounding
                                                                                     : Check::slip;
}

/// What a claim is settled by. No number of samples narrows what rounding allows, so that there is no interval where it
/// leaves the verdict open.
MeasuredSpan settled(const ExampleRow& row, const Derived& derived) {
  const MeasuredSpan span = measured_value(derived.value, Interval{derived.low, derived.high});
  const bool is_open = verdict_on(span, {row.printed.value, row.printed.value}) == Verdict::cannot_tell;
  return is_open ? measured_value(derived.value, std::nullopt) : span;
}

/// Contexts of 2wikimQA on the tier that takes two printed times at 0.2 and 0.4 removed: table 1's length, with the
/// bytes of Llama-3.1-8B, the model of section 3. Qualities are relative to the uncompressed cache's.
Snapshot tier_of_two_times(double seconds_at_02, double seconds_at_04) {
  constexpr int tokens = 7'526, contexts = 50;
  constexpr std::uint64_t bytes = 7'526ULL * 131'072;
  const auto kept = [](double removed) { return (1 - removed) * static_cast<double>(bytes); };
  Snapshot snapshot;
  const double rate = (kept(0.2) - kept(0.4)) / (seconds_at_02 - seconds_at_04);
  snapshot.tiers = {{"tier", 2 * bytes, {seconds_at_02 - kept(0.2) / rate, rate, 0, 0}, false}};
  auto profile = std::make_shared<ContextProfile>();
  profile->points = {{"none", 0, 1, 1, 1, contexts, bytes, tokens}};
  for (const auto& [removed, quality] :
       {std::pair{0.2, quality_2w_02.value}, {0.4, quality_2w_04.value}, {0.6, quality_2w_06.value}})
    profile->points.push_back({"keydiff", removed, quality, quality, quality, contexts,
                               static_cast<std::uint64_t>(std::llround(kept(removed))),
                               static_cast<int>(std::lround((1 - removed) * tokens))});
  ContextState context;
  context.id = context.family = "2wikimQA";
  context.tokens = tokens;
  context.full_bytes = bytes;
  context.frequency = 1;
  context.profile = profile;
  snapshot.contexts.push_back(std::move(context));
  return snapshot;
}

double line_ttft(const Snapshot& snapshot, double removed) {
  return predict(snapshot, snapshot.contexts.front(), {0, "keydiff", removed}, 1, QualityReading::raw).ttft_seconds;
}

/// The alpha above which the first of two forms has the larger utility, where it has the larger quality and TTFT.
double alpha_between(double quality, double ttft, double other_quality, double other_ttft) {
  const auto gain = [&](double alpha) {
    return utility(alpha, quality, ttft, 1) - utility(alpha, other_quality, other_ttft, 1);
  };
  return gain(0) / (gain(0) - gain(1));
}

const std::vector<ExampleRow>& example_rows() {
  static const std::vector<ExampleRow> rows{{"utility, 2wikimQA at 0.6",
                                             utility_2w_06,
                                             "0.65 - 0.05",
                                             {quality_2w_06, ttft_2w_06},
                                             [](Inputs x) { return utility(1, x[0], x[1], 1); },
                                             "evicpress/utility-2wikimqa"},
                                            {"utility, NarrativeQA at 0.9",
                                             utility_nq_09,
                                             "0.67 - 0.05",
                                             {quality_nq_09, ttft_nq_09},
                                             [](Inputs x) { return utility(1, x[0], x[1], 1); },
                                             "evicpress/utility-narrativeqa"},
                                            {"alpha above which 0.2 is preferred to 0.4",
                                             alpha_02_over_04,
                                             "(0.24 - 0.20) / (0.92 - 0.82)",
                                             {quality_2w_02, ttft_2w_02, quality_2w_04, ttft_2w_04},
                                             [](Inputs x) { return alpha_between(x[0], x[1], x[2], x[3]); },
                                             "evicpress/alpha-threshold"},
                                            {"TTFT, 2wikimQA at 0.6",
                                             ttft_2w_06,
                                             "the line through 0.24 and 0.20 s",
                                             {ttft_2w_02, ttft_2w_04},
                                             [](Inputs x) { return line_ttft(tier_of_two_times(x[0], x[1]), 0.6); },
                                             nullptr,
                                             false},
                                            {"quality, 2wikimQA at 0.6",
                                             quality_2w_06,
                                             "0.607 + 0.05",
                                             {utility_2w_06, ttft_2w_06},
                                             [](Inputs x) { return x[0] + x[1]; }},
                                            {"quality, NarrativeQA at 0.9",
                                             quality_nq_09,
                                             "0.621 + 0.05",
                                             {utility_nq_09, ttft_nq_09},
                                             [](Inputs x) { return x[0] + x[1]; }},
                                            {"TTFT, NarrativeQA at 0.9",
                                             ttft_nq_09,
                                             "0.67 - 0.621",
                                             {quality_nq_09, utility_nq_09},
                                             [](Inputs x) { return x[0] - x[1]; }},
                                            {"quality, 2wikimQA at 0.4",
                                             quality_2w_04,
                                             "0.92 - (0.24 - 0.20) / 0.3",
                                             {quality_2w_02, ttft_2w_02, ttft_2w_04, alpha_02_over_04},
                                             [](Inputs x) { return x[0] - (x[1] - x[2]) / x[3]; }},
                                            {"TTFT, 2wikimQA at 0.4",
                                             ttft_2w_04,
                                             "0.24 - 0.3 * (0.92 - 0.82)",
                                             {ttft_2w_02, alpha_02_over_04, quality_2w_02, quality_2w_04},
                                             [](Inputs x) { return x[0] - x[1] * (x[2] - x[3]); }},
                                            {"quality, 2wikimQA at 0.2",
                                             quality_2w_02,
                                             "0.82 + (0.24 - 0.20) / 0.3",
                                             {quality_2w_04, ttft_2w_02, ttft_2w_04, alpha_02_over_04},
                                             [](Inputs x) { return x[0] + (x[1] - x[2]) / x[3]; }},
                                            {"TTFT, 2wikimQA at 0.2",
                                             ttft_2w_02,
                                             "0.20 + 0.3 * (0.92 - 0.82)",
                                             {ttft_2w_04, alpha_02_over_04, quality_2w_02, quality_2w_04},
                                             [](Inputs x) { return x[0] + x[1] * (x[2] - x[3]); }}};
  return rows;
}

/// The table of section 4.2, with the claims and the findings about what the paper computes there.
void add_numbers(FigureResult& result) {
  FigureTable table{"Section 4.2: each printed number, computed from the section's other numbers",
                    {"quantity", "from", "printed", "computed", "low", "high", "verdict"},
                    {}};
  std::size_t results = 0, counts[4] = {};  // by Check
  std::vector<std::string> named;
  table.rows.reserve(example_rows().size());
  named.reserve(example_rows().size());
  for (const ExampleRow& row : example_rows()) {
    const Derived derived = derive(row);
    const Check check = row.is_comparable ? check_of(row.printed, derived) : Check::not_comparable;
    table.rows.push_back(
        {row.quantity, row.formula, row.printed.value, derived.value, derived.low, derived.high, text_of(check)});
    // An equation counts once, whichever of its numbers it is solved for.
    if (row.claim == nullptr) continue;
    ++results;
    ++counts[static_cast<std::size_t>(check)];
    add_claim(result, row.claim, settled(row, derived));
    if (check != Check::agrees)
      named.push_back(std::string(row.quantity) + ": printed " + short_number(row.printed.value) + ", computed " +
                      short_number(derived.value) + " (" + row.formula + "), " + short_number(derived.low) + " - " +
                      short_number(derived.high) + " with the rounding of its inputs");
  }
  result.findings.push_back("of " + std::to_string(results) + " results, " + std::to_string(counts[0]) +
                            " follow from the printed numbers, " + std::to_string(counts[1]) +
                            " within rounding; slips: " + std::to_string(counts[2]) +
                            "; other rows are the same equations, solved for another number");
  result.findings.insert(result.findings.end(), named.begin(), named.end());
  result.tables.push_back(std::move(table));
}

/// The paper's time at 0.6 is not beside it, as it may be of another device than the two that the line is through.
void add_line(FigureResult& result, const Snapshot& snapshot) {
  FigureTable table{"TTFT on 2wikimQA: the line through the printed 0.24 and 0.20 s",
                    {"compression ratio", "TTFT s", "paper TTFT s"},
                    {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::lines, .x = "compression ratio", .y = {"TTFT s"}};
  for (const auto& [removed, ttft] : {std::pair{0.2, ttft_2w_02}, {0.4, ttft_2w_04}}) {
    table.rows.push_back({removed, line_ttft(snapshot, removed), ttft.value});
    table.plot->published.push_back({"paper", removed, ttft.value, ttft.value});
  }
  table.rows.push_back({0.6, line_ttft(snapshot, 0.6), Json()});
  result.tables.push_back(std::move(table));
}

/// Utilities on 2wikimQA with the printed times.
void add_preferences(FigureResult& result) {
  const auto at = [](double alpha, const Printed& quality, const Printed& ttft) {
    return utility(alpha, quality.value, ttft.value, 1);
  };
  FigureTable table{"Utility on 2wikimQA over alpha, with the printed qualities and times",
                    {"alpha s", "ratio 0.2", "ratio 0.4", "ratio 0.6, CPU"},
                    {}};
  table.plot = FigurePlot{.kind = FigurePlot::Kind::lines,
                          .x = "alpha s",
                          .y = {"ratio 0.2", "ratio 0.4", "ratio 0.6, CPU"},
                          .y_title = "utility s"};
  // 0.35 is between the printed threshold and the computed one.
  for (const double alpha : {0.1, 0.2, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0})
    table.rows.push_back({alpha, at(alpha, quality_2w_02, ttft_2w_02), at(alpha, quality_2w_04, ttft_2w_04),
                          at(alpha, quality_2w_06, ttft_2w_06)});
  result.tables.push_back(std::move(table));
}

void add_sizes(FigureResult& result) {
  struct Model {
    const char *name, *claim;
    int layers, kv_heads;  // of the published configuration; heads are 128 wide
    double tokens;
    Printed gigabytes;
  };
  constexpr Model models[] = {{"Qwen3-32B", "evicpress/kv-size-qwen3-32b", 64, 8, 32'000, {7.81}},
                              {"Qwen3-30B-A3B", "evicpress/kv-size-qwen3-30b-a3b", 48, 4, 1'000, {0.0915, 4}},
                              {"Llama-3.1-8B", "evicpress/kv-size-llama-3.1-8b", 32, 8, 1'000, {0.12}}};
  constexpr int head_dim = 128;
  constexpr double gibibyte = 1024.0 * 1024 * 1024;
  FigureTable table{"Sizes of KV caches in 16 bits, sections 2.2 and 6.2",
                    {"model", "layers", "KV heads", "head size", "tokens", "paper GB", "GB", "GiB"},
                    {}};
  bool binary = true;
  for (const Model& model : models) {
    const double bytes = model.layers *
                         RecomputeShape{.kv_heads = model.kv_heads, .head_dim = head_dim}.kv_bytes_per_token() *
                         model.tokens;
    table.rows.push_back({model.name, model.layers, model.kv_heads, head_dim, model.tokens, model.gigabytes.value,
                          bytes / 1e9, bytes / gibibyte});
    add_claim(result, model.claim, exactly(bytes / gibibyte));
    binary = binary && std::abs(bytes / gibibyte - model.gigabytes.value) <= 2 * model.gigabytes.half_step();
  }
  if (binary) result.findings.push_back("the paper's GB are GiB, of 1,000 tokens a K: its sizes are compared in GiB");
  result.tables.push_back(std::move(table));
}

class TextExamples final : public Experiment {
 public:
  TextExamples()
      : Experiment(PaperFigure{
            .name = "evicpress/examples",
            .paper = "evicpress",
            .title = "the arithmetic of section 4.2, and sizes of KV caches",
            .does =
                "Computes each number of the section's examples from the others that it prints, with KVantage's own "
                "utility and load time, and the sizes of KV caches from the models' shapes.",
            .expected = "Each printed number follows from the others, within rounding.",
            .published = "utilities 0.607 and 0.621 at alpha 1; above alpha 0.3, a ratio of 0.2 is preferred to 0.4",
            .without_model = true}) {}

  Status check(const FigureArguments&) const override { return {}; }
  Expected<std::vector<FigureResult>> run(const FigureArguments& arguments) const override {
    arguments.lines->expect_cells(1);
    FigureResult result = begin_figure(figure(), Provenance::simulated);
    result.settings = {{"alpha", 1.0}, {"frequency", 1}, {"method", "keydiff"}};
    const Snapshot snapshot = tier_of_two_times(ttft_2w_02.value, ttft_2w_04.value);
    add_numbers(result);
    add_line(result, snapshot);
    add_preferences(result);
    add_sizes(result);
    result.findings.insert(
        result.findings.end(),
        {"the section's ratios are removed fractions, as a higher one loads faster; section 3.1 defines the ratio as "
         "compressed over original size",
         "(keydiff, 0.6) and (keydiff, 0.9) are of different data sets, so that no policy chooses between them",
         "the section names a device, the CPU, for the times at 0.6 and 0.9 alone: the time at 0.6 is compared with no "
         "line through those at 0.2 and 0.4"});
    arguments.lines->end_cell();
    return std::vector<FigureResult>{std::move(result)};
  }
};

}  // namespace

const Experiment& evicpress_examples() {
  static const TextExamples experiment;
  return experiment;
}

}  // namespace kvantage::inline evicpress_figures
