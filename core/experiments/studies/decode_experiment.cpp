#include "core/experiments/studies/decode_experiment.h"

#include <cmath>
#include <string>

#include "core/base/form_text.h"
#include "core/experiments/model/throughput_study.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline studies {
namespace {

/// Not measured yet; for each page size the full cache first.
std::vector<DecodeCell> cells_of(const DecodeMeasures& measures, const FigureArguments& arguments,
                                 const std::vector<double>& budgets, const std::vector<double>& pages) {
  std::vector<DecodeCell> cells;
  for (const double page_tokens : pages) {
    const int page = static_cast<int>(page_tokens);
    cells.push_back({.page_tokens = page, .compaction = CompactionKind::none});
    for (const std::string& method : split_list(arguments.eviction_methods))
      for (const double fraction : budgets)
        for (const CompactionKind kind : {CompactionKind::repack, CompactionKind::hole_fill, CompactionKind::none})
          if (measures.compactions || kind == CompactionKind::repack)
            cells.push_back(
                {.eviction_method = method, .budget_fraction = fraction, .page_tokens = page, .compaction = kind});
  }
  return cells;
}

/// Several requests side by side, or one answer at a time.
bool is_batched(const DecodeMeasures& measures, const FigureArguments& arguments) {
  return measures.times && arguments.max_batch > 1;
}

Json settings_of(const ModelRuntime& runtime, const DecodeMeasures& measures, const FigureArguments& arguments) {
  Json settings{{"model", runtime.model->digest().hex()},
                {"device", runtime.model->path_description()},
                {"contexts", arguments.contexts},
                {"context_tokens", arguments.context_tokens},
                {"answer_tokens", arguments.answer_tokens},
                {"shared_heads", arguments.shared_heads},
                {"cadence", arguments.cadence},
                {"compact_every", arguments.compact_every},
                {"seed", arguments.seed},
                {"command", arguments.command}};
  std::string kinds;
  for (const char* kind : measures.kinds) kinds += (kinds.empty() ? "" : ", ") + std::string(kind);
  if (measures.kinds.size() > 1) settings["kinds_of_text"] = kinds;
  if (measures.times) settings["blocks"] = arguments.blocks;
  if (is_batched(measures, arguments)) settings["side_by_side"] = arguments.max_batch;
  return settings;
}

}  // namespace

Status DecodeExperiment::check(const FigureArguments& arguments) const {
  for (const std::string& eviction_method : split_list(arguments.eviction_methods)) {
    KV_TRY(check_decode_study(eviction_method));
    if (!is_batched(measures_, arguments)) continue;
    KV_ASSIGN(const auto eviction, parse_decode_eviction(eviction_method));
    if (eviction) KV_TRY(check_throughput_method(*eviction));
  }
  for (const auto& [text, option] :
       {std::pair{&arguments.budgets, "--budgets"}, std::pair{&arguments.page_tokens, "--page-tokens"}}) {
    KV_ASSIGN(const auto numbers, study_numbers(*text, option));
    for (const double number : numbers)
      if (text == &arguments.page_tokens ? number != std::floor(number) || number > 4096 : number > 1)
        return fail(ErrorCode::usage, std::string(option) + ": " + short_number(number) +
                                          (text == &arguments.page_tokens
                                               ? " is not a number of tokens up to 4096; give a list such as 8,16"
                                               : " is more than the prompt; give shares up to 1, such as 0.25,0.5"));
  }
  return {};
}

Expected<std::vector<FigureResult>> DecodeExperiment::run(const FigureArguments& arguments) const {
  KV_ASSIGN(const auto budgets, study_numbers(arguments.budgets, "--budgets"));
  KV_ASSIGN(const auto pages, study_numbers(arguments.page_tokens, "--page-tokens"));
  KV_ASSIGN(const auto runtime, load_asked_model(arguments));
  const auto asked = ask_texts(arguments, measures_.kinds);
  std::vector<DecodeCell> cells = cells_of(measures_, arguments, budgets, pages);
  const int blocks = measures_.times ? arguments.blocks : 0;
  arguments.lines->expect_cells(cells.size() * static_cast<std::size_t>(blocks + (measures_.scores ? 1 : 0)));
  if (measures_.scores)
    for (DecodeCell& cell : cells) {
      arguments.lines->begin_cell(cell.text() + ", answers");
      KV_TRY(answer_texts(*runtime, measures_, arguments, asked, cell));
      arguments.lines->end_cell();
    }
  const auto time_cell = [&](std::size_t c, int block) -> Expected<ExperimentRunner::Keep> {
    arguments.lines->begin_cell(cells[c].text() + ", block " + std::to_string(block + 1));
    DecodeCell timed = cells[c];  // with the blocks before
    KV_TRY(is_batched(measures_, arguments) ? time_batch(*runtime, arguments, timed)
                                            : time_steps(*runtime, arguments, asked, timed));
    return [&arguments, &cell = cells[c], timed]() -> Status {
      cell = timed;
      arguments.lines->end_cell();
      return {};
    };
  };
  KV_TRY(arguments.host->runner().run_blocks(blocks, cells.size(), arguments.seed, time_cell));
  FigureResult result = begin_figure(figure());
  result.tables = decode_tables(measures_, cells, asked);
  result.settings = settings_of(*runtime, measures_, arguments);
  add_decode_findings(measures_, cells, result);
  if (const DecodeClaims claims(cells); !claims.budgets().empty()) add_claims_(claims, result);
  if (arguments.json) result.more["rows"] = decode_rows(measures_, cells);
  return std::vector<FigureResult>{std::move(result)};
}

}  // namespace kvantage::inline studies
