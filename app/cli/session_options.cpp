#include "app/cli/session_options.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "app/wiring/resources.h"

namespace kvantage::cli {

void add_session_options(CLI::App& command, SessionArguments& arguments) {
  SessionOptions& options = arguments.options;
  options.model = default_model_directory();
  command.add_option("workload", options.workload, "Folder of the workload")->required();
  command.add_option("--model", options.model, "Hugging Face folder of the model (default: the model that ships)");
  command.add_option("--tier", options.tiers,
                     "NAME=BYTES[,path=DIR][,bandwidth=BYTES/s][,latency=TIME], fastest first; repeatable "
                     "(default: the workload's session.json)");
  command.add_option("--methods", arguments.methods, "Candidate compression methods, e.g. knorm,keydiff,snapkv");
  command.add_option("--removed", arguments.removed_fractions, "Candidate removed fractions, e.g. 0.2,0.5,0.8");
  command.add_option("--quality-metric", options.quality_metric, "Metric that enters the utility: token_f1, exact_match");
  command.add_option("--store", options.store, "Folder of the stores (default: the cache folder)");
  command.add_option("--db", options.database, "Database of profiles and runs (default: inside the store)");
  command.add_option("--seed", options.seed, "Seed of the request sequence");
  command.add_option("--threads", options.threads, "Threads that compute (default: all cores)");
  command.add_flag("--json", arguments.json, "Print JSON");
  command.add_flag("--quiet", arguments.quiet, "No progress");
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> items;
  std::string item;
  int depth = 0;
  for (const char letter : text) {
    depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
    if (letter == ',' && depth == 0) {
      items.push_back(std::exchange(item, {}));
    } else if (letter != ' ') {
      item += letter;
    }
  }
  items.push_back(item);
  std::erase(items, "");
  return items;
}

Status finish_session_options(SessionArguments& arguments) {
  SessionOptions& options = arguments.options;
  options.methods = split_list(arguments.methods);
  for (const std::string& text : split_list(arguments.removed_fractions)) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0')
      return fail(ErrorCode::usage, "--removed: '" + text + "' is not a number; write it like 0.2,0.5,0.8");
    options.removed_fractions.push_back(value);
  }
  options.environment = environment_of_this_machine();
  return {};
}

int report_error(const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.message.c_str());
  return exit_code(error);
}

ConsoleSink::ConsoleSink(bool quiet) : terminal_(::isatty(STDERR_FILENO) != 0), quiet_(quiet) {}

void ConsoleSink::expect_requests(std::uint64_t requests, const std::string& what) {
  requests_ = requests;
  finished_ = 0;
  what_ = what;
}

void ConsoleSink::line(const std::string& text) {
  if (quiet_) return;
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
  }
}

void ConsoleSink::publish(const Event& event) {
  if (const auto* progress = std::get_if<events::Progress>(&event.payload)) {
    const bool over = progress->total > 0 && progress->done == progress->total;
    line(over ? "" : progress->what + (progress->total > 0 ? " " + std::to_string(progress->done) + "/" + std::to_string(progress->total) : ""));
    if (!terminal_ && !quiet_ && !over && progress->done == 0) std::fprintf(stderr, "%s\n", progress->what.c_str());
  } else if (std::holds_alternative<events::RequestFinished>(event.payload)) {
    ++finished_;
    line(finished_ >= requests_ ? "" : what_ + " " + std::to_string(finished_) + "/" + std::to_string(requests_));
  } else if (const auto* message = std::get_if<events::Message>(&event.payload)) {
    if (message->level != "info") std::fprintf(stderr, "%s%s: %s\n", terminal_ ? "\r\033[K" : "", message->level.c_str(), message->text.c_str());
  } else if (const auto* failed = std::get_if<events::PlacementFailed>(&event.payload)) {
    std::fprintf(stderr, "%swarning: context '%s' not placed: %s\n", terminal_ ? "\r\033[K" : "", failed->context_id.c_str(), failed->reason.c_str());
  } else if (const auto* read = std::get_if<events::ReadFailed>(&event.payload)) {
    std::fprintf(stderr, "%swarning: read from %s failed and was counted as a miss: %s\n", terminal_ ? "\r\033[K" : "", read->tier.c_str(), read->reason.c_str());
  }
}

}  // namespace kvantage::cli
