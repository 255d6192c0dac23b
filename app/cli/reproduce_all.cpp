// `reproduce all`: every figure of the papers into one folder.
#include <algorithm>
#include <chrono>
#include <cstdio>

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
#include "core/experiments/figures/reproduction.h"
#include "core/experiments/paper_figures.h"
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

/// Makes one figure as the command would, and returns how that went.
Expected<MadeFigure> make_one(const std::vector<std::string>& words, bool quick) {
  KeepingFigureHost host;
  // Its verdicts mean nothing, so it does not wait for a machine at rest: on a busy one that takes most of the time.
  if (quick) host.set_patience({.rounds = 1, .repeats = 0});
  MadeFigure made{
      .name = words.front(), .command = {}, .begun = utc_minute(host.clock()), .program = program_version()};
  const double begun = host.clock().seconds();
  FigureArguments arguments;
  arguments.figure = words.front();
  arguments.progress = terminal_on_stderr() ? "" : "none";
  const Status status = make_figure_of_words(words, arguments, host, progress_writer(arguments));
  made.command = arguments.command;
  made.seconds = host.clock().seconds() - begun;
  if (interrupted() || (!status && status.error().code == ErrorCode::cancelled))
    return fail(ErrorCode::cancelled, "interrupted; the same command continues with the figures left");
  if (!status) made.trouble = status.error().message;
  made.results = host.take_shown();
  return made;
}

}  // namespace

Status reproduce_all(const ReproduceAll& asked) {
  if (asked.folder.empty())
    return fail(ErrorCode::usage, "--out: reproduce all writes into a folder; give one, e.g. --out reproduction");
  KV_ASSIGN(const auto claims, shipped_claims());
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
  const std::filesystem::path folder = asked.folder;
  KV_ASSIGN(auto reproduction, Reproduction::open(folder, about, figure_drawing(), asked.any_program));
  if (asked.quick) KV_TRY(write_quick_workload(folder / "quick-workload"));
  auto names = reproduction.left();
  if (!asked.only.empty()) {
    const auto only = split_list(asked.only), known = reproduced_figures();
    for (const std::string& name : only)
      if (std::ranges::find(known, name) == known.end())
        return fail(ErrorCode::usage, "--only: " + printable(name) + " is none of the figures that are made; " +
                                          "kvantage-cli reproduce list shows them");
    std::erase_if(names, [&](const std::string& name) { return std::ranges::find(only, name) == only.end(); });
  }
  std::size_t failed = 0, done = reproduced_figures().size() - reproduction.left().size();
  for (const std::string& name : names) {
    KV_ASSIGN(const auto made, make_one(words_of(name, asked, folder), asked.quick));
    ++done;
    failed += made.results.empty() ? 1 : 0;
    std::printf("%zu of %zu  %s: %s\n", done, reproduced_figures().size(), name.c_str(),
                made.results.empty() ? made.trouble.c_str() : (short_number(made.seconds) + " s").c_str());
    std::fflush(stdout);
    KV_TRY(reproduction.keep(made));
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
