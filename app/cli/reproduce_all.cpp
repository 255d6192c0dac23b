// `reproduce all`: every figure of the papers into one folder.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>

#include "app/cli/base/drawing.h"
#include "app/cli/base/interrupts.h"
#include "app/cli/base/progress_line.h"
#include "app/cli/console_figure_host.h"
#include "app/cli/figures/figure_request.h"
#include "app/cli/reproduce_command.h"
#include "app/wiring/program_facts.h"
#include "app/wiring/resources.h"
#include "app/wiring/session_file.h"
#include "core/base/form_text.h"
#include "core/experiments/figures/figure_times.h"
#include "core/experiments/figures/reproduction.h"
#include "core/experiments/figures/result_markdown.h"
#include "core/experiments/paper_figures.h"
#include "core/experiments/studies/cell_store.h"
#include "core/policy/plan_text.h"
#include "core/workload/workload.h"

namespace kvantage::cli {
namespace {

/// UTC, "2026-11-28 17:25".
std::string utc_minute(const Clock& clock) {
  const std::chrono::sys_time<std::chrono::nanoseconds> now{std::chrono::nanoseconds(clock.utc_ns())};
  const auto day = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::year_month_day date(day);
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(now - day).count();
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02u %02d:%02d", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), static_cast<int>(minutes / 60),
                static_cast<int>(minutes % 60));
  return text.data();
}

Status write_quick_workload(const std::filesystem::path& folder) {
  const WorkloadPreset quick = quick_workload();
  KV_ASSIGN(const auto workload, make_workload(quick.options));
  KV_ASSIGN(const auto session, session_file(quick.session));
  KV_TRY(write_workload(workload, folder));
  return write_session_file(session, folder);
}

/// The words of the command that makes one figure.
std::vector<std::string> words_of(const std::string& figure, const ReproduceAll& asked,
                                  const std::filesystem::path& folder) {
  std::vector<std::string> words{figure};
  const PaperFigure* known = find_paper_figure(figure);
  if (asked.quick)
    for (const auto& [option, value] : quick_options(*known, (folder / "quick-workload").string()))
      words.insert(words.end(), {option, value});
  if (asked.brief)
    for (const auto& [option, value] : known->brief) words.insert(words.end(), {option, value});
  if (uses_model(*known)) {
    const AskedModel& model = asked.model;
    if (!model.path.empty()) words.insert(words.end(), {"--model", model.path});
    if (!model.prompt_form.empty()) words.insert(words.end(), {"--prompt-form", model.prompt_form});
    if (model.max_model_len > 0) words.insert(words.end(), {"--max-model-len", std::to_string(model.max_model_len)});
  }
  if (serves_sessions(figure)) {
    words.insert(words.end(), {"--store", (folder / "store").string(), "--temporary-store"});
    if (asked.gpu) words.emplace_back("--gpu");
  }
  return words;
}

/// Of the cells of a figure that an interrupted command left.
std::filesystem::path cells_of(const std::filesystem::path& folder, const std::string& figure) {
  return folder / "cells" / place_of_figure(figure);
}

/// How a figure is made among others.
struct FigureTurn {
  bool quick = false;
  std::shared_ptr<FolderCells> cells;
  std::string behind;  // its name in the progress line
};

/// Seconds that interrupted commands spent on the figure whose cells these are.
double seconds_spent(const FolderCells& cells, const Json& key) {
  const auto kept = cells.find(key);
  return kept && kept->is_number() ? kept->get<double>() : 0;
}

/// Makes one figure as the command would, and returns how that went. Its cells are kept only until it is made.
Expected<MadeFigure> make_one(const std::vector<std::string>& words, const FigureTurn& turn) {
  KeepingFigureHost host;
  // Its verdicts mean nothing, so it does not wait for a machine at rest: on a busy one that takes most of the time.
  if (turn.quick) host.set_patience({.rounds = 1, .repeats = 0});
  host.set_cells(turn.cells);
  MadeFigure made{
      .name = words.front(), .command = {}, .begun = utc_minute(host.clock()), .program = program_version()};
  const double begun = host.clock().seconds();
  FigureArguments arguments;
  arguments.figure = words.front();
  arguments.progress = terminal_on_stderr() ? "" : "none";
  const Status status = make_figure_of_words(words, arguments, host, progress_writer(arguments, turn.behind));
  made.command = arguments.command;
  const Json spent{{"seconds of", made.name}};
  made.seconds = seconds_spent(*turn.cells, spent) + host.clock().seconds() - begun;
  if (!status && !turn.cells->empty()) KV_TRY(turn.cells->keep(spent, made.seconds));
  if (interrupted() || (!status && status.error().code == ErrorCode::cancelled))
    return fail(ErrorCode::cancelled,
                "interrupted; the same command continues with the figures left, and with the cells left of a long one");
  if (!status) made.trouble = status.error().message;
  made.results = host.take_shown();
  return made;
}

/// "fig,ures" of --only or --skip; usage for what is not made.
Expected<std::vector<std::string>> named_figures(const char* option, const std::string& list) {
  const auto names = split_list(list), known = reproduced_figures();
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      return fail(ErrorCode::usage,
                  std::string(option) + ": " + printable(name) +
                      " is none of the figures that are made; kvantage-cli reproduce list shows them");
  return names;
}

Expected<std::vector<std::string>> figures_to_make(const ReproduceAll& asked, std::vector<std::string> left) {
  KV_ASSIGN(const auto only, named_figures("--only", asked.only));
  KV_ASSIGN(const auto skip, named_figures("--skip", asked.skip));
  std::erase_if(left, [&](const std::string& name) {
    return (!asked.only.empty() && std::ranges::find(only, name) == only.end()) ||
           std::ranges::find(skip, name) != skip.end();
  });
  return left;
}

Json about_reproduction(const ReproduceAll& asked) {
  Json about = environment_of_this_machine();
  about["program"] = program_version();
  about["quick"] = asked.quick;
  about["brief"] = asked.brief;
  about["model"] = asked.model.path;
  if (!asked.model.prompt_form.empty()) about["prompt_form"] = asked.model.prompt_form;
  if (asked.model.max_model_len > 0) about["max_model_len"] = asked.model.max_model_len;
  if (const ShippedModel* shipped = asked.model.path.empty() ? nullptr : shipped_model_at(asked.model.path))
    about["model name"] = std::string(shipped->name);
  about["gpu"] = asked.gpu;
  return about;
}

/// "about 19 min by those made so far": how long these figures take.
std::string left_text(const Reproduction& reproduction, std::span<const std::string> left) {
  const auto seconds = seconds_left(reproduction.made(), left);
  return seconds ? "about " + rough_duration(*seconds) + " by those made so far" : "time not measured yet here";
}

/// What the progress line of a figure says of those behind it; empty where that is not known.
std::string others_text(const Reproduction& reproduction, std::span<const std::string> after) {
  const auto seconds = after.empty() ? std::nullopt : seconds_left(reproduction.made(), after);
  return seconds ? ", then about " + rough_duration(*seconds) + " of others" : "";
}

}  // namespace

Status reproduce_all(const ReproduceAll& asked) {
  if (asked.folder.empty())
    return fail(ErrorCode::usage, "--out: reproduce all writes into a folder; give one, e.g. --out reproduction");
  KV_TRY(figures_to_make(asked, {}));  // before anything is written
  KV_ASSIGN(const auto claims, shipped_claims());
  const std::filesystem::path folder = asked.folder;
  KV_ASSIGN(auto reproduction,
            Reproduction::open(folder, about_reproduction(asked), figure_drawing(), asked.any_program));
  if (asked.quick) KV_TRY(write_quick_workload(folder / "quick-workload"));
  KV_ASSIGN(const auto names, figures_to_make(asked, reproduction.left()));
  const std::size_t all = reproduced_figures().size();
  std::size_t failed = 0, done = all - reproduction.left().size();
  if (!names.empty())
    std::printf("%zu of %zu figures to make: %s\n", names.size(), all, left_text(reproduction, names).c_str());
  std::fflush(stdout);
  for (std::size_t f = 0; f < names.size(); ++f) {
    const std::span<const std::string> after = std::span(names).subspan(f + 1);
    const auto cells = std::make_shared<FolderCells>(cells_of(folder, names[f]), Json{{"program", program_version()}});
    KV_ASSIGN(const auto made,
              make_one(words_of(names[f], asked, folder), {asked.quick, cells, others_text(reproduction, after)}));
    ++done;
    const bool has_results = !made.results.empty();
    failed += has_results ? 0 : 1;
    KV_TRY(reproduction.keep(made));
    if (has_results) cells->remove();
    std::printf("%zu of %zu  %s: %s%s\n", done, all, made.name.c_str(),
                has_results ? (short_number(made.seconds) + " s").c_str() : made.trouble.c_str(),
                after.empty() ? "" : ("; left: " + left_text(reproduction, after)).c_str());
    std::fflush(stdout);
    KV_TRY(reproduction.write_pages(claims));
  }
  KV_TRY(reproduction.write_pages(claims));
  std::printf("%s\n", (folder / "reproduce.md").c_str());
  if (failed > 0)
    return fail(ErrorCode::io, std::to_string(failed) + " of " + std::to_string(names.size()) +
                                   " figures have no result; their lines above say why");
  return {};
}

}  // namespace kvantage::cli
