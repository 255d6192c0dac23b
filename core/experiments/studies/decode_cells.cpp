#include "core/experiments/studies/decode_cells.h"

#include <algorithm>

#include "core/base/form_text.h"
#include "core/experiments/model/throughput_study.h"
#include "core/policy/plan_text.h"
#include "core/text/quality.h"
#include "core/workload/families/families.h"

namespace kvantage::inline studies {
namespace {

/// The method's own cadence, unless another one is requested.
int cadence_of(const FigureArguments& arguments, const std::string& eviction_method) {
  if (arguments.cadence > 0) return arguments.cadence;
  const std::string_view name = FormText::name_of(eviction_method);
  for (const DecodeMethodInfo& info : known_eviction_methods())
    if (info.name == name) return info.cadence;
  return 1;
}

/// At least one page.
int budget_of(double prompt_tokens, const DecodeCell& cell) {
  return std::max(cell.page_tokens, static_cast<int>(prompt_tokens * cell.budget_fraction));
}

void add_counts(const DecodeStudyAnswer& answer, double share, DecodeCell& cell) {
  cell.peak_bytes = std::max(cell.peak_bytes, static_cast<double>(answer.peak_blocks * answer.block_bytes));
  cell.free_blocks = cell.free_blocks.value_or(0) + share * static_cast<double>(answer.gauges.free);
  cell.fragmentation = cell.fragmentation.value_or(0) + share * answer.gauges.fragmentation;
  cell.rows_read_fraction += share * answer.rows_read_fraction;
  cell.page_summary_bytes = std::max(cell.page_summary_bytes, answer.page_summary_bytes);
  cell.counts += answer.counts;
}

DecodeStudySetting setting_of(const ModelRuntime& runtime, const FigureArguments& arguments, const AskedText& one,
                              const DecodeCell& cell) {
  const PromptParts parts = runtime.prompt->encode(one.context, one.question);
  const auto prompt = static_cast<double>(parts.context.size() + parts.question.size());
  DecodeStudySetting setting;
  setting.eviction_method = cell.eviction_method;
  setting.shared_heads = arguments.shared_heads;
  setting.page_tokens = cell.page_tokens;
  setting.eviction = {.budget_tokens = budget_of(prompt, cell),
                      .cadence = cadence_of(arguments, cell.eviction_method),
                      .compaction = cell.compaction,
                      .compact_every = arguments.compact_every};
  return setting;
}

/// Nothing: the full cache.
Expected<std::optional<DecodeEvictionSetting>> batch_eviction(const FigureArguments& arguments,
                                                              const DecodeCell& cell) {
  if (cell.eviction_method.empty()) return std::nullopt;
  KV_ASSIGN(auto eviction, parse_decode_eviction(cell.eviction_method));
  if (!eviction) return std::nullopt;
  eviction->budget = {.percent = 0, .tokens = budget_of(arguments.context_tokens, cell)};
  eviction->table = arguments.shared_heads ? BlockTableScope::layer : BlockTableScope::head;
  eviction->cadence = cadence_of(arguments, cell.eviction_method);
  eviction->compaction = cell.compaction;
  eviction->compact_every = arguments.compact_every;
  return eviction;
}

}  // namespace

const char* DecodeCell::compaction_name() const {
  if (eviction_method.empty() || eviction_method.starts_with("quest")) return "-";
  return compaction == CompactionKind::none ? "none" : compaction == CompactionKind::repack ? "repack" : "hole filling";
}

std::string DecodeCell::text() const {
  const std::string pages = ", pages of " + std::to_string(page_tokens);
  if (eviction_method.empty()) return "full cache" + pages;
  return eviction_method + ", " + short_number(100 * budget_fraction) + " % of the prompt, " + compaction_name() +
         pages;
}

std::vector<double> DecodeCell::tokens_per_second() const {
  std::vector<double> speeds;
  speeds.reserve(token_seconds.size());
  for (const double seconds : token_seconds) speeds.push_back(side_by_side / seconds);
  return speeds;
}

std::vector<AskedText> ask_texts(const FigureArguments& arguments, const std::vector<const char*>& kinds) {
  const auto of_kind = static_cast<std::size_t>(arguments.contexts);
  std::vector<AskedText> asked;
  asked.reserve(kinds.size() * of_kind);
  Random random(arguments.seed);
  FamilyParams params;
  params.target_tokens = static_cast<std::size_t>(arguments.context_tokens);
  params.answer_tokens = static_cast<std::size_t>(arguments.answer_tokens);
  params.question_limit = 1;
  params.split = KeySplit::held_out;
  for (const char* kind : kinds) {
    const Family& family = **find_family(kind);
    for (const std::size_t all = asked.size() + of_kind; asked.size() < all;) {
      const GeneratedContext text = family.generate(params, random);
      if (!text.questions.empty())
        asked.push_back({kind, text.text, text.questions.front().question, text.questions.front().answer});
    }
  }
  return asked;
}

Status answer_texts(ModelRuntime& runtime, const DecodeMeasures& measures, const FigureArguments& arguments,
                    const std::vector<AskedText>& asked, DecodeCell& cell) {
  const double share = 1.0 / static_cast<double>(asked.size());
  for (const AskedText& one : asked) {
    const DecodeStudySetting setting = setting_of(runtime, arguments, one, cell);
    KV_ASSIGN(const auto answer,
              answer_with_eviction(runtime, one.context, one.question, setting, arguments.host->clock(),
                                   [&arguments] { return arguments.host->interrupted(); }));
    cell.rouge.push_back(rouge_l(answer.text, one.reference));
    cell.f1.push_back(token_f1(answer.text, one.reference));
    cell.exact.push_back(exact_match(answer.text, one.reference));
    cell.natural_answer_tokens += share * answer.answer_tokens;
    if (measures.times) continue;
    cell.budget_tokens += share * setting.eviction.budget_tokens;
    add_counts(answer, share, cell);
  }
  return {};
}

// A degenerate answer may be very short or very long, so times and counts come from a fixed number of steps.
Status time_steps(ModelRuntime& runtime, const FigureArguments& arguments, const std::vector<AskedText>& asked,
                  DecodeCell& cell) {
  const double share = 1.0 / static_cast<double>(asked.size());
  const bool first_block = cell.token_seconds.empty();
  double tokens = 0, seconds = 0;
  for (const AskedText& one : asked) {
    DecodeStudySetting setting = setting_of(runtime, arguments, one, cell);
    setting.whole_length = true;
    setting.max_tokens = arguments.answer_tokens;
    KV_ASSIGN(const auto timed,
              answer_with_eviction(runtime, one.context, one.question, setting, arguments.host->clock(),
                                   [&arguments] { return arguments.host->interrupted(); }));
    tokens += timed.answer_tokens - 1;  // the prefill produced the first token
    seconds += timed.decode_seconds;
    if (!first_block) continue;
    cell.budget_tokens += share * setting.eviction.budget_tokens;
    add_counts(timed, share, cell);
  }
  cell.timed_tokens = tokens;
  cell.token_seconds.push_back(seconds / tokens);
  return {};
}

Status time_batch(ModelRuntime& runtime, const FigureArguments& arguments, DecodeCell& cell) {
  const bool first_block = cell.token_seconds.empty();
  ThroughputSetting setting{.page_tokens = cell.page_tokens,
                            .chunk_tokens = runtime.chunk_tokens(),
                            .prompt_tokens = arguments.context_tokens,
                            .output_tokens = arguments.answer_tokens,
                            .requests = arguments.max_batch,
                            .max_batch = arguments.max_batch,
                            .seed = arguments.seed};
  KV_ASSIGN(setting.eviction, batch_eviction(arguments, cell));
  KV_ASSIGN(const auto timed, measure_throughput(*runtime.model, setting, arguments.host->clock(),
                                                 [&arguments] { return arguments.host->interrupted(); }));
  cell.side_by_side = timed.batch;
  cell.timed_tokens = static_cast<double>(timed.steps);
  cell.token_seconds.push_back(timed.seconds_per_output_token());
  if (!first_block) return {};
  cell.budget_tokens = budget_of(arguments.context_tokens, cell);
  cell.peak_bytes = static_cast<double>(timed.peak_bytes());
  cell.rows_read_fraction = 1;
  cell.counts = timed.counts;
  return {};
}

const DecodeCell& full_cache_of(const std::vector<DecodeCell>& cells, const DecodeCell& cell) {
  return *std::ranges::find_if(cells, [&](const DecodeCell& other) {
    return other.eviction_method.empty() && other.page_tokens == cell.page_tokens;
  });
}

}  // namespace kvantage::inline studies
