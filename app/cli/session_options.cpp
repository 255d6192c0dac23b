#include "app/cli/session_options.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "app/cli/base/interrupts.h"
#include "app/cli/base/json_output.h"
#include "app/cli/base/method_file_option.h"
#include "app/cli/base/model_options.h"
#include "app/cli/base/progress_line.h"
#include "app/cli/base/progress_options.h"
#include "app/cli/base/recorded_runs.h"
#include "app/wiring/program_facts.h"
#include "app/wiring/resources.h"
#include "app/wiring/tier_notes.h"
#include "core/base/form_text.h"
#include "core/base/units.h"
#include "core/policy/types_json.h"
#include "core/ports/placement_reasons.h"
#include "core/text/quality.h"

namespace kvantage::cli {
namespace {

std::vector<std::string> quality_bound_names() {
  std::vector<std::string> names;
  names.reserve(JsonNames<QualityBound>::list.size());
  for (const auto& [bound, name] : JsonNames<QualityBound>::list) names.emplace_back(name);
  return names;
}

}  // namespace

void add_session_options(CLI::App& command, SessionArguments& arguments) {
  SessionOptions& options = arguments.options;
  options.model = default_model_directory();
  command.add_option("WORKLOAD", options.workload, "Folder of the workload, or a text file or folder of texts")
      ->required();
  command
      .add_option("--model", options.model,
                  "Hugging Face folder or GGUF file of the model, or reference-mha; if not given: the default model")
      ->transform(shipped_model());
  add_prompt_form_option(command, options.prompt_form);
  add_max_model_len_option(command, options.max_model_len);
  add_products_option(command, options.products);
  command.add_option("--tier", options.tiers, tier_option_help());
  command.add_option(
      "--allow-remote", options.remotes.allowed,
      "HOST or HOST:PORT of a Redis server or bucket, HOST of a cluster or Sentinel, that a session.json or "
      "a recorded run names; without it KVantage connects only to servers that you give; repeatable");
  command.add_option("--methods", arguments.methods, "Candidate compression methods, e.g. knorm,keydiff,snapkv");
  add_method_file_option(command);
  command.add_option("--removed", arguments.removed_fractions, "Candidate removed fractions, e.g. 0.2,0.5,0.8");
  command.add_option("--decode-options", arguments.decode_options,
                     "Ways to decode answers that are profiled beside decoding without eviction, e.g. "
                     "paged_eviction(budget=25%),knorm(budget=50%); none for an empty list");
  command.add_option("--quality-metric", options.quality_metric,
                     "Quality metric of the utility: " + quality_metric_names());
  command
      .add_option("--quality-bound", arguments.quality_bound,
                  "What plans take of a measured quality: its mean as the policy reads it, or the lower end of its "
                  "95 % interval")
      ->check(one_of(quality_bound_names()));
  command.add_option("--store", options.store, "Folder of the stores (default: the cache folder)");
  command.add_option("--db", options.database, "Database of profiles and runs (default: inside the store)");
  command.add_option("--seed", options.seed, "Seed of the request sequence")->check(whole_number());
  command
      .add_option("--context-tokens", options.context_tokens,
                  "Maximum length of contexts from your own texts (default: half of the model's positions; 2560 for "
                  "the default model, 7680 for reference-mha)")
      ->check(whole_number(max_context_tokens));
  command
      .add_option("--probes", options.probes,
                  "Questions generated for each context without any: this many for profiling and this many for "
                  "requests")
      ->check(whole_number(max_probes))
      ->capture_default_str();
  command
      .add_option("--profile-questions", options.profile_questions, "Number of profile questions per context; 0: all")
      ->check(whole_number());
  command.add_option("--threads", options.threads, "Compute threads; 0: one per core")
      ->check(CLI::Range(0, max_threads))
      ->capture_default_str();
  command.add_flag("--gpu", options.gpu, "Prefill and answer on the first GPU, in bf16 (docs/gpu-model.md)");
  command.add_option("--gpu-cache", arguments.gpu_cache,
                     "GPU memory for KV caches of requests, e.g. 8GiB (default: 4GiB)");
  add_json_option(command, arguments.json);
  add_progress_options(command, arguments.quiet);
}

Expected<std::vector<double>> removed_fractions_of(const std::string& text) {
  std::vector<double> fractions;
  for (const std::string& word : split_list(text)) {
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (end == word.c_str() || *end != '\0' || !(value >= 0 && value < 1))
      return fail(ErrorCode::usage,
                  "--removed: '" + word + "' is not a number from 0 to below 1; write it like 0.2,0.5,0.8");
    fractions.push_back(value);
  }
  return fractions;
}

Status finish_session_options(SessionArguments& arguments) {
  SessionOptions& options = arguments.options;
  options.methods = split_list(arguments.methods.value_or(""));
  if (arguments.methods && options.methods.empty())
    return fail(ErrorCode::usage,
                "--methods: names no method; leave it out for the workload's, or write it like knorm,snapkv");
  KV_ASSIGN(options.removed_fractions, removed_fractions_of(arguments.removed_fractions.value_or("")));
  if (arguments.removed_fractions && options.removed_fractions.empty())
    return fail(ErrorCode::usage,
                "--removed: names no fraction; leave it out for the workload's, or write it like 0.2,0.5,0.8");
  if (arguments.decode_options) {
    options.decode_options = split_list(*arguments.decode_options);
    if (options.decode_options->empty())
      return fail(ErrorCode::usage,
                  "--decode-options: names no option; leave it out for the workload's, or write none");
    if (options.decode_options->size() == 1 && options.decode_options->front() == "none")
      options.decode_options->clear();
  }
  if (arguments.quality_bound)
    KV_TRY(json_into(Json(*arguments.quality_bound), options.quality_bound.emplace(), "--quality-bound"));
  if (arguments.gpu_cache) {
    const auto bytes = parse_bytes(*arguments.gpu_cache);
    if (!bytes) return fail(ErrorCode::usage, "--gpu-cache: " + bytes.error().message);
    options.gpu_cache_bytes = *bytes;
  }
  if (!arguments.quiet)
    for (const auto& notes : {tier_name_notes(options.tiers), tier_unit_notes(options.tiers)})
      for (const std::string& note : notes) stderr_progress().say(note);
  options.environment = environment_of_this_machine();
  return {};
}

std::filesystem::path database_of(const SessionOptions& options) {
  if (!options.database.empty()) return options.database;
  return options.store.empty() ? default_database() : options.store / "kvantage.db";
}

int report_error(const Error& error) {
  const bool cancelled = error.code == ErrorCode::cancelled;
  if (cancelled)
    stderr_progress().say(error.message);
  else
    stderr_progress().say_error(error.message);
  return cancelled ? interrupted_exit_code : exit_code(error);
}

void say_notes(const LiveSession& session, bool quiet) {
  if (quiet) return;
  for (const std::string& note : session.notes) stderr_progress().say(note);
}

void ConsoleSink::show(const std::string& what, std::uint64_t done, std::uint64_t total, const std::string& pace) {
  if (!progress_) return;
  if (total > 0 && done >= total)
    stderr_progress().end(what, static_cast<double>(total));
  else
    stderr_progress().show(what, static_cast<double>(done), static_cast<double>(total), pace);
}

void ConsoleSink::publish(const Event& event) {
  const auto say = [](const std::string& text) { stderr_progress().say(text); };
  if (const auto* message = std::get_if<events::Message>(&event.payload)) {
    const bool error = message->level == "error";
    if (message->level == "info" || (error && !loaded_)) return;
    errors_ += error ? 1 : 0;
    say(message->level + ": " + message->text);
    return;
  }
  if (!begun_.empty() && !terminal_on_stderr() && !quiet_ && !stderr_progress().is_json()) say(begun_);
  begun_.clear();
  if (const auto* progress = std::get_if<events::Progress>(&event.payload)) {
    const bool over = progress->total > 0 && progress->done == progress->total;
    show(progress->what, progress->done, progress->total);
    if (!over && progress->done == 0) begun_ = progress->what;
    loaded_ = loaded_ || progress->what == "Ready";
  } else if (count(event)) {
    show(what(), done(), total(), "requests");  // policies have other paces: that of all so far
  } else if (const auto* failed = std::get_if<events::PlacementFailed>(&event.payload)) {
    if (failed->reason != superseded_reason)
      say("warning: context '" + failed->context_id + "' not placed: " + failed->reason);
  } else if (const auto* read = std::get_if<events::ReadFailed>(&event.payload)) {
    say("warning: read from " + read->tier + " failed and was counted as a miss: " + read->reason);
  }
}

}  // namespace kvantage::cli
