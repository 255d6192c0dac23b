#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/cli/base/json_output.h"
#include "app/cli/commands.h"
#include "app/cli/report_output.h"
#include "app/cli/session_options.h"
#include "app/wiring/session_file.h"
#include "core/base/counted.h"
#include "core/base/json.h"
#include "core/workload/presets.h"

namespace kvantage::cli {
namespace {

/// All command-line options, flat; disabled schedules have no length.
struct MakeArguments {
  MakeWorkloadOptions options;
  SessionStart session;
  Bursts bursts{.mean_requests = 0};
  std::optional<double> drift_begin, drift_end;
  std::optional<std::size_t> drifted_questions = {};
  bool drift_one_by_one = false, each_context_first = false, no_reprofile = false;
};

MakeArguments arguments_of(const WorkloadPreset& preset) {
  MakeArguments a{.options = preset.options, .session = preset.session, .drift_begin = {}, .drift_end = {}};
  a.no_reprofile = !preset.session.reprofile;
  a.each_context_first = preset.options.arrivals.each_context_first;
  if (preset.options.drifted_questions > 0) a.drifted_questions = preset.options.drifted_questions;
  if (const auto& bursts = preset.options.arrivals.bursts) a.bursts = *bursts;
  if (const auto& drift = preset.options.arrivals.drift) {
    a.drift_begin = drift->begin;
    a.drift_end = drift->end;
    a.drift_one_by_one = drift->one_by_one;
  }
  return a;
}

MakeWorkloadOptions options_of(const MakeArguments& a) {
  MakeWorkloadOptions o = a.options;
  o.arrivals.bursts = a.bursts.mean_requests == 0 ? std::nullopt : std::optional(a.bursts);
  o.arrivals.each_context_first = a.each_context_first;
  o.drifted_questions = a.drifted_questions.value_or(0);
  o.arrivals.drift.reset();
  if (a.drift_begin || a.drift_end) {
    const double begin = a.drift_begin.value_or(Drift{}.begin < *a.drift_end ? Drift{}.begin : *a.drift_end);
    const double end = a.drift_end.value_or(begin < Drift{}.end ? Drift{}.end : begin);
    o.arrivals.drift = Drift{begin, end, a.drift_one_by_one};
  }
  return o;
}

std::string text_of(const std::string& value) {
  const bool plain = !value.empty() && value.find_first_not_of(
                                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                           "0123456789_.,+=/:%@-") == std::string::npos;
  if (plain) return value;
  std::string quoted = "\"";
  for (const char letter : value) {
    if (letter == '"' || letter == '\\' || letter == '$' || letter == '`') quoted += '\\';
    quoted += letter;
  }
  return quoted + "\"";
}
std::string text_of(double value) { return dump_json(Json(value)); }
std::string text_of(std::uint64_t value) { return std::to_string(value); }
std::string text_of(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ",") + text_of(value);
  return text;
}
std::string joined(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ",") + value;
  return text_of(text);
}

/// The options of the command, listed once: declaration, override of a preset, and the text in the workload's record of
/// its own command.
class OptionTable {
 public:
  explicit OptionTable(CLI::App& command) : command_(command) {}

  template <class Access>
  CLI::Option* add(const std::string& flag, const std::string& help, Access access) {
    CLI::Option* option = command_.add_option(flag, access(given_), help);
    rows_.push_back({[option, access](const MakeArguments& given, MakeArguments& target) {
                       if (option->count() > 0) access(target) = access(const_cast<MakeArguments&>(given));
                     },
                     [flag, access](MakeArguments& a) {
                       const auto& value = access(a);
                       using Value = std::remove_cvref_t<decltype(value)>;
                       if constexpr (requires { value.has_value(); }) {
                         return value ? " " + flag + " " + text_of(*value) : std::string();
                       } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
                         if (flag != "--tier") return value.empty() ? std::string() : " " + flag + " " + joined(value);
                         std::string text;
                         for (const std::string& one : value) text += " " + flag + " " + text_of(one);
                         return text;
                       } else if constexpr (std::is_same_v<Value, std::string>) {
                         return value.empty() ? std::string() : " " + flag + " " + text_of(value);
                       } else {
                         return " " + flag + " " + text_of(value);
                       }
                     }});
    return option;
  }
  void add_flag(const std::string& flag, const std::string& help, bool MakeArguments::*member) {
    CLI::Option* option = command_.add_flag(flag, given_.*member, help);
    rows_.push_back({[option, member](const MakeArguments& given, MakeArguments& target) {
                       if (option->count() > 0) target.*member = given.*member;
                     },
                     [flag, member](MakeArguments& a) { return a.*member ? " " + flag : std::string(); }});
  }

  MakeArguments over(MakeArguments preset) const {
    for (const Row& row : rows_) row.apply(given_, preset);
    return preset;
  }
  std::string command_of(MakeArguments arguments) const {
    std::string text = "kvantage-cli workload make";
    for (const Row& row : rows_) text += row.text(arguments);
    return text;
  }

 private:
  struct Row {
    std::function<void(const MakeArguments& given, MakeArguments& target)> apply;
    std::function<std::string(MakeArguments&)> text;
  };
  CLI::App& command_;
  MakeArguments given_;
  std::vector<Row> rows_;
};

void list_presets(bool json) {
  if (json) {
    OrderedJson list = OrderedJson::array();
    for (const WorkloadPreset& preset : workload_presets())
      list.push_back({{"name", preset.options.name}, {"description", preset.options.description}});
    print_json(list);
    return;
  }
  std::vector<std::vector<std::string>> rows;
  for (const WorkloadPreset& preset : workload_presets())
    rows.push_back({preset.options.name, preset.options.description});
  std::printf("%s", list_text({{}, {}}, rows).c_str());
}

struct MakeOutput {
  std::string preset, out;
  bool json = false, quiet = false, list = false;
};

int make(const OptionTable& table, const MakeOutput& output) {
  const std::string& out = output.out;
  MakeArguments begin;
  if (!output.preset.empty()) {
    const auto preset = find_workload_preset(output.preset);
    if (!preset) return report_error(preset.error());
    begin = arguments_of(**preset);
  }
  const MakeArguments arguments = table.over(begin);
  auto workload = make_workload(options_of(arguments));
  if (!workload) return report_error(workload.error());
  workload->made_by = table.command_of(arguments);
  SessionStart start = arguments.session;
  start.reprofile = !arguments.no_reprofile;
  const auto session = session_file(start);
  if (!session) return report_error(session.error());
  if (const auto written = write_workload(*workload, out); !written) return report_error(written.error());
  if (!session->empty())
    if (const auto written = write_session_file(*session, out); !written) return report_error(written.error());
  if (output.json)
    print_json(OrderedJson{{"out", out},
                           {"name", workload->name},
                           {"digest", workload->digest().hex()},
                           {"contexts", workload->contexts.size()},
                           {"questions", workload->questions.size()}});
  else if (!output.quiet)
    std::printf("%s: %s, %s, digest %s\n", out.c_str(), counted(workload->contexts.size(), "context").c_str(),
                counted(workload->questions.size(), "question").c_str(), workload->digest().hex().c_str());
  return 0;
}

void declare_texts(OptionTable& table) {
  using A = MakeArguments;
  table.add(
      "--name", "Name of the workload", [](A & a) -> auto& { return a.options.name; });
  table.add(
      "--description", "One-line description", [](A & a) -> auto& { return a.options.description; });
  table.add(
      "--license", "License of the texts (CC0-1.0)", [](A & a) -> auto& { return a.options.license; });
  table
      .add(
          "--seed", "Seed of texts and requests (1)", [](A & a) -> auto& { return a.options.seed; })
      ->check(whole_number());
  table
      .add(
          "--families", "Families, separated by commas; all if neither these nor a mix are given",
          [](A & a) -> auto& { return a.options.families; })
      ->delimiter(',');
  table
      .add(
          "--mix",
          "Contexts of two families, like story+registry: half of each; a drift moves from questions about the first "
          "to questions about the second",
          [](A & a) -> auto& { return a.options.mixes; })
      ->delimiter(',');
  table
      .add(
          "--contexts-per-family", "Contexts of each family and mix (4)",
          [](A & a) -> auto& { return a.options.contexts_per_family; })
      ->check(whole_number(1'000'000));
  table
      .add(
          "--min-tokens", "Shortest context (1000)", [](A & a) -> auto& { return a.options.min_tokens; })
      ->check(whole_number(10'000'000));
  table
      .add(
          "--max-tokens", "Longest context (2000)", [](A & a) -> auto& { return a.options.max_tokens; })
      ->check(whole_number(10'000'000));
  table.add(
      "--filler", "Share of sentences without a fact (0.3)", [](A & a) -> auto& { return a.options.filler_fraction; });
  table.add(
      "--neighbors", "Share of keys that share a word with an earlier one (0.2)",
      [](A & a) -> auto& { return a.options.neighbor_fraction; });
  table.add(
      "--distractors", "Share of the news about people that no question asks about (0.2)",
      [](A & a) -> auto& { return a.options.distractor_fraction; });
  table
      .add(
          "--answer-tokens", "Minimum length of the ledger's answers (512)",
          [](A & a) -> auto& { return a.options.answer_tokens; })
      ->check(whole_number(10'000));
  table
      .add(
          "--profile-questions", "Profile questions per context (8)",
          [](A & a) -> auto& { return a.options.profile_questions; })
      ->check(whole_number(1'000'000));
  table
      .add(
          "--held-out-questions", "Held-out questions per context, with a drift per phase (8)",
          [](A & a) -> auto& { return a.options.held_out_questions; })
      ->check(whole_number(1'000'000));
  table
      .add(
          "--drifted-questions",
          "Held-out questions per context that are asked after a drift (as many as before it); of a family alone at "
          "most so many",
          [](A & a) -> auto& { return a.drifted_questions; })
      ->check(whole_number(1'000'000));
}

void declare_requests(OptionTable& table) {
  using A = MakeArguments;
  table
      .add(
          "--requests", "Requests per run (200)", [](A & a) -> auto& { return a.options.arrivals.requests; })
      ->check(CLI::Range(std::uint64_t{1}, max_requests));
  table.add(
      "--zipf", "Zipf exponent s: popularity of a context ~ 1 / rank^s (1)",
      [](A & a) -> auto& { return a.options.arrivals.zipf_exponent; });
  table.add(
      "--tail", "Share of requests that choose any context with equal probability (0)",
      [](A & a) -> auto& { return a.options.arrivals.tail_share; });
  table.add(
      "--rate", "Requests per second; 0: closed loop (0)",
      [](A & a) -> auto& { return a.options.arrivals.requests_per_second; });
  table.add(
      "--arrivals", "Recorded arrival times: azure-conversations (up to 960 requests, CC-BY-4.0), or drawn (drawn)",
      [](A & a) -> auto& { return a.options.recorded_arrivals; });
  table.add(
      "--burst-length", "Mean requests per burst; 0: no bursts (0)",
      [](A & a) -> auto& { return a.bursts.mean_requests; });
  table.add(
      "--quiet-length", "Mean requests between two bursts (20)",
      [](A & a) -> auto& { return a.bursts.mean_quiet_requests; });
  table.add(
      "--burst-factor", "Factor by which requests arrive faster in a burst (5)",
      [](A & a) -> auto& { return a.bursts.factor; });
  table
      .add(
          "--burst-contexts", "Contexts per burst (2)", [](A & a) -> auto& { return a.bursts.contexts; })
      ->check(whole_number(1'000'000));
  table.add(
      "--drift-begin", "Share of the run at which the drift begins", [](A & a) -> auto& { return a.drift_begin; });
  table.add(
      "--drift-end", "Share of the run at which the drift ends", [](A & a) -> auto& { return a.drift_end; });
  table.add_flag("--drift-one-by-one", "Contexts drift one after the other, not all together", &A::drift_one_by_one);
  table.add_flag("--each-context-first", "The first requests are about each context once, in order",
                 &A::each_context_first);
}

void declare_session(OptionTable& table) {
  using A = MakeArguments;
  table
      .add(
          "--tier",
          "NAME=BUDGET[,bandwidth=BYTES/s][,latency=TIME][,NAME=BUDGET..] as in run, fastest first; repeatable: writes "
          "session.json",
          [](A & a) -> auto& { return a.session.tiers; })
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  table.add(
      "--policy", "Policy of session.json (evicpress)", [](A & a) -> auto& { return a.session.policy; });
  table.add(
      "--alpha", "Alpha of session.json (0.3)", [](A & a) -> auto& { return a.session.alpha; });
  table
      .add(
          "--methods", "Candidate methods of session.json", [](A & a) -> auto& { return a.session.methods; })
      ->delimiter(',');
  table
      .add(
          "--removed", "Candidate removed fractions of session.json",
          [](A & a) -> auto& { return a.session.removed_fractions; })
      ->delimiter(',');
  table
      .add(
          "--compute-or-load", "Way of serving stored contexts in session.json: auto, hybrid, prefill or off",
          [](A & a) -> auto& { return a.session.compute_or_load; })
      ->check(one_of({"auto", "hybrid", "prefill", "off"}));
  table.add_flag("--no-reprofile", "Turn off re-profiling on drift in session.json", &A::no_reprofile);
}

}  // namespace

void add_workload_make(CLI::App& workload, CommandResult& result) {
  CLI::App& command = *workload.add_subcommand("make", "Make a workload from the synthetic families");
  auto arguments = std::make_shared<MakeOutput>();
  auto table = std::make_shared<OptionTable>(command);
  command.add_option("--out", arguments->out, "Folder to write; created if missing");
  command.add_option("--preset", arguments->preset, "Start with this preset's settings; other options override them");
  command.add_flag("--list-presets", arguments->list, "Describe each preset and exit");
  declare_texts(*table);
  declare_requests(*table);
  declare_session(*table);
  add_json_option(command, arguments->json);
  command.add_flag("--quiet", arguments->quiet, "Print nothing");
  std::string footer = "Presets:";
  for (const WorkloadPreset& preset : workload_presets())
    footer += "\n  " + preset.options.name + ": " + preset.options.description;
  footer += "\nFamilies:";
  for (const Family& family : known_families())
    footer += "\n  " + std::string(family.name) + ": " + std::string(family.idea);
  command.footer(footer);
  command.callback([arguments, table, &result] {
    if (arguments->list) {
      list_presets(arguments->json);
    } else if (arguments->out.empty()) {
      result.exit_code = report_error({ErrorCode::usage, "--out is required: the folder to write; add it"});
    } else {
      result.exit_code = make(*table, *arguments);
    }
  });
}

}  // namespace kvantage::cli
