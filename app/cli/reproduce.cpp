#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/interrupts.h"
#include "app/cli/session_options.h"
#include "app/wiring/resources.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/statistics.h"
#include "core/base/units.h"
#include "core/engine/decode_study.h"
#include "core/text/quality.h"
#include "core/workload/families/families.h"

namespace kvantage::cli {
namespace {

struct ReproduceArguments {
  std::string figure, model, evictors;
  int cadence = 0;  // 0: each evictor's own
  int contexts = 6, context_tokens = 1024, answer_tokens = 256;
  std::uint64_t seed = 1;
  bool json = false;
};

struct Figure {
  const char* name;
  const char* shows;
  std::vector<double> budget_fractions;  // of the prompt
  std::vector<int> page_sizes;
  std::vector<const char*> evictors;
};

// The budgets are scaled to the prompt, as the paper's 256 ... 4096 are to LongBench.
const std::vector<Figure>& figures() {
  static const std::vector<Figure> list = {
      {"002/2", "score against cache budget", {0.125, 0.25, 0.5, 0.75, 1.0}, {16},
       {"paged_eviction", "streaming_llm", "knorm", "keydiff"}},
      {"002/3", "throughput and time per output token against cache budget", {0.125, 0.25, 0.5, 0.75, 1.0}, {16},
       {"paged_eviction", "streaming_llm", "knorm", "keydiff"}},
      {"002/4", "throughput and score against page size", {0.5}, {8, 16, 32, 64, 128},
       {"paged_eviction", "streaming_llm", "knorm", "keydiff"}},
      {"decode", "every evictor on long answers at equal budget", {0.25, 0.5, 0.75}, {16},
       {"streaming_llm", "h2o", "scissorhands", "tova", "r_kv", "triattention", "paged_eviction", "knorm", "keydiff"}},
      {"003/compaction", "blocks held with and without compaction, score buffers", {0.5}, {16},
       {"streaming_llm", "h2o", "tova", "keydiff", "paged_eviction"}},
  };
  return list;
}

struct Asked {
  std::string context, question, gold;
};

std::vector<Asked> ask_ledgers(const ReproduceArguments& arguments) {
  std::vector<Asked> asked;
  Random random(arguments.seed);
  const Family& ledger = **find_family("ledger");
  while (asked.size() < static_cast<std::size_t>(arguments.contexts)) {
    FamilyParams params;
    params.target_tokens = static_cast<std::size_t>(arguments.context_tokens);
    params.answer_tokens = static_cast<std::size_t>(arguments.answer_tokens);
    params.question_limit = 1;
    params.split = KeySplit::held_out;
    const GeneratedContext text = ledger.generate(params, random);
    if (!text.questions.empty()) asked.push_back({text.text, text.questions.front().question, text.questions.front().answer});
  }
  return asked;
}

struct Cell {
  std::string evictor;
  double budget_fraction = 1;
  int page_tokens = 16;
  const char* compaction = "repack";
  std::vector<double> rouge, exact;
  double tokens = 0, seconds = 0, budget_tokens = 0, peak_bytes = 0;
  EvictionCounts counts;
};

/// As its authors have it, unless another one is asked for.
int cadence_of(const ReproduceArguments& arguments, const std::string& evictor) {
  if (arguments.cadence > 0) return arguments.cadence;
  const std::string name = evictor.substr(0, evictor.find('('));
  for (const EvictorInfo& info : known_evictors())
    if (info.name == name) return info.cadence;
  return 1;
}

Status measure(ModelRuntime& runtime, const ReproduceArguments& arguments, const std::vector<Asked>& asked,
               CompactionKind compaction, Cell& cell) {
  const SystemClock clock;
  for (const Asked& one : asked) {
    const PromptParts parts = runtime.prompt->encode(one.context, one.question);
    const auto prompt = static_cast<double>(parts.context.size() + parts.question.size());
    DecodeStudySetting setting;
    setting.evictor = cell.evictor == "full cache" ? "" : cell.evictor;
    setting.page_tokens = cell.page_tokens;
    setting.eviction.budget_tokens = std::max(cell.page_tokens, static_cast<int>(prompt * cell.budget_fraction));
    setting.eviction.compaction = compaction;
    setting.eviction.cadence = cadence_of(arguments, cell.evictor);
    const auto answer = answer_with_eviction(runtime, one.context, one.question, setting, clock, interrupted);
    if (!answer) return tl::unexpected(answer.error());
    cell.rouge.push_back(rouge_l(answer->text, one.gold));
    cell.exact.push_back(exact_match(answer->text, one.gold));
    cell.tokens += answer->answer_tokens;
    cell.seconds += answer->decode_seconds;
    cell.budget_tokens += static_cast<double>(setting.eviction.budget_tokens) / static_cast<double>(asked.size());
    cell.peak_bytes = std::max(cell.peak_bytes, static_cast<double>(answer->peak_blocks * answer->block_bytes));
    const EvictionCounts& c = answer->counts;
    cell.counts.tokens_evicted += c.tokens_evicted;
    cell.counts.blocks_freed_by_eviction += c.blocks_freed_by_eviction;
    cell.counts.blocks_freed_by_compaction += c.blocks_freed_by_compaction;
    cell.counts.slot_copies += c.slot_copies;
    cell.counts.passes += c.passes;
    cell.counts.compaction_seconds += c.compaction_seconds;
    cell.counts.deciding_seconds += c.deciding_seconds;
    cell.counts.score_buffer_bytes = std::max(cell.counts.score_buffer_bytes, c.score_buffer_bytes);
  }
  return {};
}

OrderedJson cell_json(const Cell& cell) {
  const MeanWithInterval score = mean_with_interval(cell.rouge), exact = mean_with_interval(cell.exact);
  OrderedJson json;
  json["evictor"] = cell.evictor;
  json["compaction"] = cell.compaction;
  json["page_tokens"] = cell.page_tokens;
  json["budget_fraction"] = cell.budget_fraction;
  json["budget_tokens"] = cell.budget_tokens;
  json["rouge_l"] = {{"mean", score.mean}, {"low", score.low}, {"high", score.high}, {"n", score.n}};
  json["exact_match"] = exact.mean;
  json["answer_tokens"] = cell.tokens;
  json["seconds_per_output_token"] = cell.tokens > 0 ? cell.seconds / cell.tokens : 0;
  json["tokens_per_second"] = cell.seconds > 0 ? cell.tokens / cell.seconds : 0;
  json["peak_bytes"] = cell.peak_bytes;
  json["tokens_evicted"] = cell.counts.tokens_evicted;
  json["blocks_freed_by_eviction"] = cell.counts.blocks_freed_by_eviction;
  json["blocks_freed_by_compaction"] = cell.counts.blocks_freed_by_compaction;
  json["slot_copies"] = cell.counts.slot_copies;
  json["compaction_seconds"] = cell.counts.compaction_seconds;
  json["deciding_seconds"] = cell.counts.deciding_seconds;
  json["score_buffer_bytes"] = cell.counts.score_buffer_bytes;
  json["provenance"] = "measured";
  return json;
}

void print_cell(const Cell& cell) {
  const MeanWithInterval score = mean_with_interval(cell.rouge);
  std::printf("%-15s %5d %6.0f %5.3f [%.2f, %.2f] %3zu %9.1f %8.3f %10s %8lld %8lld %8lld %8.1f %9s %s\n", cell.evictor.c_str(),
              cell.page_tokens, cell.budget_tokens, score.mean, score.low, score.high, score.n,
              cell.seconds > 0 ? cell.tokens / cell.seconds : 0, cell.tokens > 0 ? 1e3 * cell.seconds / cell.tokens : 0,
              format_bytes(static_cast<std::uint64_t>(cell.peak_bytes)).c_str(),
              static_cast<long long>(cell.counts.blocks_freed_by_eviction),
              static_cast<long long>(cell.counts.blocks_freed_by_compaction), static_cast<long long>(cell.counts.slot_copies),
              cell.counts.deciding_seconds * 1e3, format_bytes(cell.counts.score_buffer_bytes).c_str(), cell.compaction);
  std::fflush(stdout);
}

Status reproduce(const ReproduceArguments& arguments) {
  const auto figure = std::ranges::find_if(figures(), [&](const Figure& f) { return f.name == arguments.figure; });
  if (figure == figures().end()) {
    std::string names;
    for (const Figure& known : figures()) names += std::string(names.empty() ? "" : ", ") + known.name;
    return fail(ErrorCode::usage, "figure '" + arguments.figure + "': unknown; known: " + names);
  }
  std::vector<std::string> evictors(figure->evictors.begin(), figure->evictors.end());
  if (!arguments.evictors.empty()) evictors = split_list(arguments.evictors);
  for (const std::string& evictor : evictors)  // before the first answer is waited for
    if (const auto made = make_evictor(evictor, {}); !made) return tl::unexpected(made.error());
  const auto runtime = ModelRuntime::load(arguments.model.empty() ? default_model_directory() : std::filesystem::path(arguments.model));
  if (!runtime) return tl::unexpected(runtime.error());
  const auto asked = ask_ledgers(arguments);
  OrderedJson rows = OrderedJson::array();
  if (!arguments.json) {
    std::printf("%s: %s. ledgers: %d of %d tokens, answers of %d tokens and more, seed %llu; measured, %s\n", figure->name,
                figure->shows, arguments.contexts, arguments.context_tokens, arguments.answer_tokens,
                static_cast<unsigned long long>(arguments.seed), (*runtime)->model->path_description().c_str());
    std::printf("%-15s %5s %6s %-22s %3s %9s %8s %10s %8s %8s %8s %8s %9s %s\n", "evictor", "page", "budget", "rouge_l [95 %]", "n",
                "tokens/s", "ms/token", "peak", "freed", "by pass", "copies", "ms dec.", "scores", "compaction");
  }
  const auto run = [&](const std::string& evictor, double fraction, int page, CompactionKind kind, const char* name) -> Status {
    Cell cell;
    cell.evictor = evictor;
    cell.budget_fraction = fraction;
    cell.page_tokens = page;
    cell.compaction = name;
    KV_TRY(measure(**runtime, arguments, asked, kind, cell));
    if (arguments.json)
      rows.push_back(cell_json(cell));
    else
      print_cell(cell);
    return {};
  };
  for (const int page : figure->page_sizes) {
    KV_TRY(run("full cache", 1.0, page, CompactionKind::none, "-"));
    for (const std::string& evictor : evictors)
      for (const double fraction : figure->budget_fractions) {
        KV_TRY(run(evictor, fraction, page, CompactionKind::repack, "repack"));
        if (std::string_view(figure->name) != "003/compaction") continue;
        KV_TRY(run(evictor, fraction, page, CompactionKind::hole_fill, "hole filling"));
        KV_TRY(run(evictor, fraction, page, CompactionKind::none, "none"));
      }
  }
  if (arguments.json) {
    OrderedJson json;
    json["figure"] = figure->name;
    json["shows"] = figure->shows;
    json["model"] = (*runtime)->model->digest().hex();
    json["contexts"] = arguments.contexts;
    json["context_tokens"] = arguments.context_tokens;
    json["answer_tokens"] = arguments.answer_tokens;
    json["seed"] = arguments.seed;
    json["rows"] = std::move(rows);
    std::printf("%s\n", json.dump().c_str());
  }
  return {};
}

}  // namespace

void add_reproduce(CLI::App& parent, CommandResult& result) {
  auto arguments = std::make_shared<ReproduceArguments>();
  std::string names;
  for (const Figure& known : figures()) names += std::string(names.empty() ? "" : ", ") + known.name;
  CLI::App& command = *parent.add_subcommand("reproduce", "Figures of the papers on the model here: " + names);
  command.add_option("figure", arguments->figure, "One of " + names)->required();
  command.add_option("--model", arguments->model, "Hugging Face model folder; the model that ships by default");
  command.add_option("--evictors", arguments->evictors, "Other evictors, comma-separated");
  command.add_option("--cadence", arguments->cadence, "Steps from one eviction to the next; 0: as the evictor's authors have it")->check(CLI::Range(0, 100000))->capture_default_str();
  command.add_option("--contexts", arguments->contexts, "Ledgers, one question each")->check(CLI::Range(1, 10000))->capture_default_str();
  command.add_option("--context-tokens", arguments->context_tokens, "Length of a ledger")->check(CLI::Range(64, 100000))->capture_default_str();
  command.add_option("--answer-tokens", arguments->answer_tokens, "Least length of an answer")->check(CLI::Range(8, 100000))->capture_default_str();
  command.add_option("--seed", arguments->seed, "Of the ledgers")->check(whole_number())->capture_default_str();
  command.add_flag("--json", arguments->json, "One JSON object");
  command.callback([arguments, &result] {
    note_interrupts();
    const Status status = reproduce(*arguments);
    result.exit_code = status ? 0 : report_error(status.error());
  });
}

}  // namespace kvantage::cli
