#include "core/experiments/studies/decode_cells.h"

#include <algorithm>

#include "core/base/form_text.h"
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

void add_counts(const DecodeStudyAnswer& answer, double share, DecodeCell& cell) {
  cell.peak_bytes = std::max(cell.peak_bytes, static_cast<double>(answer.peak_blocks * answer.block_bytes));
  cell.free_blocks += share * static_cast<double>(answer.gauges.free);
  cell.fragmentation += share * answer.gauges.fragmentation;
  cell.rows_read_fraction += share * answer.rows_read_fraction;
  cell.page_summary_bytes = std::max(cell.page_summary_bytes, answer.page_summary_bytes);
  cell.counts += answer.counts;
}

DecodeStudySetting setting_of(const ModelRuntime& runtime, const FigureArguments& arguments, const AskedLedger& one,
                              const DecodeCell& cell) {
  const PromptParts parts = runtime.prompt->encode(one.context, one.question);
  const auto prompt = static_cast<double>(parts.context.size() + parts.question.size());
  DecodeStudySetting setting;
  setting.eviction_method = cell.eviction_method;
  setting.shared_heads = arguments.shared_heads;
  setting.page_tokens = cell.page_tokens;
  setting.eviction = {.budget_tokens = std::max(cell.page_tokens, static_cast<int>(prompt * cell.budget_fraction)),
                      .cadence = cadence_of(arguments, cell.eviction_method),
                      .compaction = cell.compaction,
                      .compact_every = arguments.compact_every};
  return setting;
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
  for (const double seconds : token_seconds) speeds.push_back(1 / seconds);
  return speeds;
}

std::vector<AskedLedger> ask_ledgers(const FigureArguments& arguments) {
  std::vector<AskedLedger> asked;
  Random random(arguments.seed);
  const Family& ledger = **find_family("ledger");
  while (asked.size() < static_cast<std::size_t>(arguments.contexts)) {
    FamilyParams params;
    params.target_tokens = static_cast<std::size_t>(arguments.context_tokens);
    params.answer_tokens = static_cast<std::size_t>(arguments.answer_tokens);
    params.question_limit = 1;
    params.split = KeySplit::held_out;
    const GeneratedContext text = ledger.generate(params, random);
    if (!text.questions.empty())
      asked.push_back({text.text, text.questions.front().question, text.questions.front().answer});
  }
  return asked;
}

Status answer_ledgers(ModelRuntime& runtime, const DecodeMeasures& measures, const FigureArguments& arguments,
                      const std::vector<AskedLedger>& asked, DecodeCell& cell) {
  const double share = 1.0 / static_cast<double>(asked.size());
  for (const AskedLedger& one : asked) {
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
Status time_steps(ModelRuntime& runtime, const FigureArguments& arguments, const std::vector<AskedLedger>& asked,
                  DecodeCell& cell) {
  const double share = 1.0 / static_cast<double>(asked.size());
  const bool first_block = cell.token_seconds.empty();
  double tokens = 0, seconds = 0;
  for (const AskedLedger& one : asked) {
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

const DecodeCell& full_cache_of(const std::vector<DecodeCell>& cells, const DecodeCell& cell) {
  return *std::ranges::find_if(cells, [&](const DecodeCell& other) {
    return other.eviction_method.empty() && other.page_tokens == cell.page_tokens;
  });
}

}  // namespace kvantage::inline studies
