#include "app/cli/run/run_from.h"

#include "app/cli/base/model_options.h"
#include "app/cli/base/recorded_runs.h"
#include "app/cli/base/value_checks.h"
#include "app/cli/serving/imported_notes.h"
#include "app/wiring/serving_import.h"
#include "core/text/chat/prompt_template.h"

namespace kvantage::cli {
namespace {

Json at_or(const Json& json, const char* pointer, const Json& otherwise) {
  const Json::json_pointer place(pointer);
  return json.is_object() && json.contains(place) ? json.at(place) : otherwise;
}

std::string text_at(const Json& json, const char* pointer) {
  const Json value = at_or(json, pointer, nullptr);
  return value.is_string() ? value.get<std::string>() : std::string();
}

/// Numbers of a recorded run. It may come from elsewhere, so they have the bounds of the options that they stand for.
class RecordedNumbers {
 public:
  RecordedNumbers(const Json& facts, const CLI::App& command, const std::string& name)
      : facts_(facts), command_(command), name_(name) {}

  /// Into `value`, unless `option` was given or the run does not have the number. rejected_input: above `most`, or not
  /// a whole number.
  template <class T>
  Status take(const char* pointer, const char* option, std::uint64_t most, T& value) const {
    const Json found = at_or(facts_, pointer, nullptr);
    if (command_.get_option(option)->count() > 0 || found.is_null()) return {};
    if (found.is_number_unsigned() && found.get<std::uint64_t>() <= most) {
      value = found.get<T>();
      return {};
    }
    const std::string path(pointer), shown = found.is_string() ? found.get<std::string>() : dump_json(found);
    return fail(ErrorCode::rejected_input, name_ + ": " + path.substr(path.rfind('/') + 1) + ": '" + printable(shown) +
                                               "' is not a whole number from 0 to " + std::to_string(most) + "; give " +
                                               option + " along with --from");
  }

 private:
  const Json& facts_;
  const CLI::App& command_;
  const std::string& name_;
};

}  // namespace

Expected<RepeatedChoices> repeat_run(const std::string& word, const CLI::App& command, SessionArguments& arguments) {
  SessionOptions& options = arguments.options;
  const auto given = [&](const char* name) { return command.get_option(name)->count() > 0; };
  KV_ASSIGN(const auto runs, read_runs(database_of(options), word, true));
  const RecordedRun& first = runs.front();
  const Json& facts = first.summary.settings;
  const std::string name = "run " + first.summary.run_id;

  RepeatedRun repeats;
  repeats.run_id = first.summary.run_id;
  KV_ASSIGN(auto settings, session_settings_from_json(at_or(facts, "/settings", Json::object()), name + ": settings"));
  repeats.settings = std::move(settings);
  repeats.model_digest = text_at(facts, "/environment/model_digest");
  repeats.workload_digest = text_at(facts, "/environment/workload_digest");
  repeats.arrivals = at_or(facts, "/repeat/arrivals", nullptr);

  if (!given("WORKLOAD")) options.workload = text_at(facts, "/repeat/workload");
  if (options.workload.empty())
    return fail(ErrorCode::rejected_input,
                name + ": does not name its workload's folder; give the folder along with --from");
  if (std::error_code ignored; !given("WORKLOAD") && !std::filesystem::exists(options.workload, ignored))
    return fail(ErrorCode::rejected_input, name + ": its workload " + options.workload.string() +
                                               " no longer exists; give the folder along with --from");
  if (const std::string model = text_at(facts, "/repeat/model"); !given("--model") && !model.empty())
    options.model = model;
  if (const std::string form = text_at(facts, "/repeat/prompt_form"); !given("--prompt-form") && !form.empty()) {
    if (!prompt_form_of(form))
      return fail(ErrorCode::rejected_input,
                  name + ": prompt_form: '" + printable(form) + "' is not known; give --prompt-form along with --from");
    options.prompt_form = form;
  }
  const RecordedNumbers numbers(facts, command, name);
  KV_TRY(numbers.take("/environment/seed", "--seed", max_whole_number, options.seed));
  KV_TRY(numbers.take("/repeat/context_tokens", "--context-tokens", max_context_tokens, options.context_tokens));
  KV_TRY(numbers.take("/repeat/probes", "--probes", max_probes, options.probes));
  KV_TRY(numbers.take("/repeat/profile_questions", "--profile-questions", max_whole_number, options.profile_questions));
  KV_TRY(numbers.take("/repeat/threads", "--threads", max_threads, options.threads));
  KV_TRY(numbers.take("/repeat/max_model_len", "--max-model-len", most_model_tokens, options.max_model_len));
  options.gpu = options.gpu || at_or(facts, "/repeat/gpu", Json(false)) == Json(true);
  if (options.frozen)
    for (const Event& event : first.events)
      if (const auto* taken = std::get_if<events::SnapshotTaken>(&event.payload)) {
        options.frozen_costs = *taken;
        options.frozen_costs->contexts.clear();
        break;
      }
  if (options.frozen && !options.frozen_costs)
    return fail(ErrorCode::rejected_input,
                name + ": was recorded without its fitted costs, which --freeze needs; leave --freeze out");

  RepeatedChoices choices;
  for (const RecordedRun& run : runs)
    choices.policies.push_back(run.summary.policy.empty() ? repeats.settings.policy : run.summary.policy);
  choices.warm_every_context = at_or(facts, "/repeat/warmup", at_or(facts, "/warmup", 0) != Json(0)) == Json(true);
  choices.cold_start = at_or(facts, "/cold_start", true) == Json(true);
  options.repeats = std::move(repeats);
  return choices;
}

void add_from_serving_option(CLI::App& command, std::string& file) {
  command.add_option("--from-serving", file,
                     "Start with tiers, eviction and concurrency of this settings file of LMCache (YAML) or vLLM (YAML "
                     "of --config, JSON of --kv-transfer-config); other options override it, and what has no "
                     "equivalent is listed");
}

Expected<std::string> start_from_serving(const std::filesystem::path& file, SessionArguments& arguments) {
  KV_ASSIGN(const auto config, import_serving(arguments.options, file));
  if (!arguments.quiet) say_imported(config);
  return config.session.value("policy", std::string());
}

}  // namespace kvantage::cli
