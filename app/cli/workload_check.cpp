#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "app/cli/base/help_text.h"
#include "app/cli/base/json_output.h"
#include "app/cli/base/model_options.h"
#include "app/cli/base/value_checks.h"
#include "app/cli/commands.h"
#include "app/cli/session_options.h"
#include "app/wiring/resources.h"
#include "app/wiring/samples.h"
#include "app/wiring/workload_opening.h"
#include "core/base/counted.h"
#include "core/base/folders.h"
#include "core/base/json.h"
#include "core/workload/workload.h"

namespace kvantage::cli {
namespace {

struct FamilyCounts {
  std::size_t contexts = 0, bytes = 0, profile = 0, held_out = 0;
};

void print_schedules(const ArrivalProcess& arrivals) {
  if (arrivals.tail_share > 0)
    std::printf("%g of the requests choose any context with equal probability\n", arrivals.tail_share);
  if (const auto& bursts = arrivals.bursts)
    std::printf("bursts of %g requests about %llu contexts, %g times as fast, %g requests between them\n",
                bursts->mean_requests, static_cast<unsigned long long>(bursts->contexts), bursts->factor,
                bursts->mean_quiet_requests);
  if (const auto& drift = arrivals.drift)
    std::printf("questions drift from %g to %g of the run, %s\n", drift->begin, drift->end,
                drift->one_by_one ? "one context after the other" : "all contexts together");
}

// Initial settings of a session on it: tiers, policy, candidates. Without tiers, those of a default size are used.
Status check_session_file(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "session.json";
  if (!is_there(file)) return {};
  KV_ASSIGN(auto json, read_json_file(file));
  if (json.is_object()) json.erase("method_files");  // opened with the session, below
  KV_ASSIGN(const auto settings, session_settings_from_json(json, file.string()));
  SessionOptions options;
  options.model = default_model_directory();
  options.workload = folder;
  if (settings.tiers.empty()) options.tiers = {"dram=1MiB"};
  const Status fine = check_openable(options);
  return fine || fine.error().message.starts_with(file.string())
             ? fine
             : fail(ErrorCode::rejected_input, file.string() + ": " + fine.error().message);
}

struct WorkloadCheckArguments {
  std::string folder;
  std::filesystem::path model;
  int max_model_len = 0;
  bool json = false;
};

int check_workload(const WorkloadCheckArguments& arguments) {
  const std::string& folder = arguments.folder;
  const auto workload = read_any_workload(folder);
  if (!workload) return report_error(workload.error());
  if (const Status session = check_session_file(named_workload(folder)); !session) return report_error(session.error());
  auto unserved = unserved_contexts(*workload, arguments.model, arguments.max_model_len);
  if (!unserved && arguments.model != default_model_directory()) return report_error(unserved.error());
  if (!unserved) unserved = UnservedContexts{};  // without a default model, the workload alone is checked
  std::map<std::string, FamilyCounts> counts;
  for (const WorkloadContext& context : workload->contexts) {
    ++counts[context.family].contexts;
    counts[context.family].bytes += context.text.size();
  }
  for (const WorkloadQuestion& question : workload->questions) {
    FamilyCounts& family = counts[workload->contexts[question.context].family];
    ++(question.split == QuestionSplit::profile ? family.profile : family.held_out);
  }
  if (arguments.json) {
    OrderedJson list = OrderedJson::array();
    for (const auto& [name, family] : counts)
      list.push_back({{"family", name},
                      {"contexts", family.contexts},
                      {"text_bytes", family.bytes},
                      {"profile_questions", family.profile},
                      {"held_out_questions", family.held_out}});
    const OrderedJson answer = {{"name", workload->name},
                                {"licence", workload->license},
                                {"seed", workload->seed},
                                {"digest", workload->digest().hex()},
                                {"contexts", workload->contexts.size()},
                                {"questions", workload->questions.size()},
                                {"requests", workload->arrivals.requests},
                                {"description", workload->description},
                                {"families", list},
                                {"unserved_contexts", unserved->count},
                                {"longest_unserved_tokens", unserved->longest_tokens},
                                {"served_tokens", unserved->served_tokens}};
    print_json(answer);
    return 0;
  }
  std::printf("%s (%s), digest %s\n", workload->name.c_str(), one_line(workload->license).c_str(),
              workload->digest().hex().c_str());
  if (!workload->description.empty()) std::printf("%s\n", one_line(workload->description).c_str());
  std::printf("%-12s %9s %11s %9s %9s\n", "family", "contexts", "text bytes", "profile", "held out");
  for (const auto& [name, family] : counts)
    std::printf("%-12s %9zu %11zu %9zu %9zu\n", one_line(name).c_str(), family.contexts, family.bytes, family.profile,
                family.held_out);
  if (!workload->schedule.empty())
    std::printf("%s by schedule, from %g s to %g s\n", counted(workload->schedule.size(), "request").c_str(),
                workload->schedule.front().arrival_seconds, workload->schedule.back().arrival_seconds);
  std::printf("%s, popularity ~ 1/rank^%g, ", counted(workload->arrivals.requests, "request").c_str(),
              workload->arrivals.zipf_exponent);
  if (workload->arrivals.requests_per_second > 0) {
    std::printf("%g a second\n", workload->arrivals.requests_per_second);
  } else {
    std::printf("closed loop: each is sent when the one before has its answer\n");
  }
  print_schedules(workload->arrivals);
  if (const std::string text = unserved_text(*unserved, workload->contexts.size()); !text.empty())
    std::printf("%s\n", text.c_str());
  return 0;
}

}  // namespace

void add_workload_check(CLI::App& workload, CommandResult& result) {
  auto arguments = std::make_shared<WorkloadCheckArguments>();
  arguments->model = default_model_directory();
  CLI::App& command = *workload.add_subcommand("check", "Validate a workload and show what it contains");
  command.add_option("WORKLOAD", arguments->folder, "Folder of the workload, the name of a sample, or a text")
      ->required();
  command
      .add_option(
          "--model", arguments->model,
          "Model that contexts must fit: a Hugging Face folder or GGUF file, or reference-mha; if not given: the "
          "default model")
      ->transform(shipped_model());
  add_max_model_len_option(command, arguments->max_model_len);
  add_json_option(command, arguments->json);
  command.callback([arguments, &result] { result.exit_code = check_workload(*arguments); });
}

}  // namespace kvantage::cli
