#include "app/cli/fleet/fleet_options.h"

#include <charconv>
#include <cmath>
#include <map>

#include "app/cli/base/json_output.h"
#include "app/cli/base/progress_options.h"
#include "app/cli/base/value_checks.h"
#include "app/cli/simulate/simulate_tiers.h"
#include "app/cli/simulate/simulated_preset.h"
#include "app/wiring/resources.h"
#include "core/base/duration.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/units.h"
#include "core/fleet/curve_classes.h"
#include "core/simulator/presets.h"
#include "profiles/profile_file.h"

namespace kvantage::cli {
namespace {

constexpr const char* store_tier = "remote";  // of presets

void add_store_options(CLI::App& command, FleetArguments& arguments) {
  command
      .add_option("--store-bytes", arguments.store_bytes,
                  "Budget of the shared store: bytes, or a percentage of all contexts' uncompressed KV")
      ->capture_default_str();
  command.add_option("--store-bandwidth", arguments.store_bandwidth,
                     "Bandwidth of one load from the store, e.g. 5GB/s (default: the preset's tier remote)");
  command.add_option("--store-latency", arguments.store_latency,
                     "Latency of one load from the store, e.g. 1ms (default: the preset's tier remote)");
  CLI::Option* load = command.add_option(
      "--store-load", arguments.store_load,
      "What all engines together may load from the store, e.g. 200GB/s (default: any); needs --rate");
  command.add_option("--rate", arguments.rate, "Requests per second of the whole fleet, for --store-load")
      ->check(CLI::Range(min_requests_per_second, 1e12));
  load->needs("--rate");
}

/// "5GB/s".
Expected<double> bytes_per_second(const std::string& option, const std::string& text) {
  const auto bytes = text.ends_with("/s") ? parse_bytes(std::string_view(text).substr(0, text.size() - 2))
                                          : Expected<std::uint64_t>(fail(ErrorCode::usage, ""));
  if (!bytes || *bytes == 0)
    return fail(ErrorCode::usage, option + ": '" + printable(text) + "' is no bandwidth above 0; write it like 5GB/s");
  return static_cast<double>(*bytes);
}

Expected<double> store_budget(const std::string& text, double all_bytes) {
  if (text.ends_with('%')) {
    double percent = 0;
    const char* last = text.data() + text.size() - 1;
    const auto [end, code] = std::from_chars(text.data(), last, percent);
    if (code == std::errc() && end == last && percent >= 0 && percent <= 1e6)
      return std::floor(all_bytes * percent / 100);
  } else if (const auto bytes = parse_bytes(text)) {
    return static_cast<double>(*bytes);
  }
  return fail(ErrorCode::usage,
              "--store-bytes: '" + printable(text) + "' is neither bytes nor a percentage; write it like 40TiB or 20%");
}

Expected<std::vector<MeasuredCurve>> read_curves(const std::filesystem::path& file) {
  KV_ASSIGN(const auto text, read_text_file(file));
  KV_ASSIGN(const auto read, profile_from_text(text, file.string()));
  std::vector<MeasuredCurve> curves;
  std::map<Digest128, std::size_t> known;
  for (const ProfileCell& cell : read.cells) {
    const auto [at, is_new] = known.emplace(cell.context, curves.size());
    if (is_new) curves.push_back({cell.context_id, {}});
    curves[at->second].profile.points.push_back(cell.point);
  }
  return curves;
}

Expected<PlannedTier> store_of(const FleetArguments& arguments, const SimulatorPreset& preset) {
  PlannedTier store{store_tier, 0, {}};
  const PresetTier* known = preset.tier(store_tier);
  if (known != nullptr) store.line = known->line;
  if (!arguments.store_bandwidth.empty()) {
    KV_ASSIGN(const double rate, bytes_per_second("--store-bandwidth", arguments.store_bandwidth));
    store.line.seconds_per_token = preset.bytes_per_token / rate;
    store.line.restore_seconds_per_token = 0;
  } else if (known == nullptr) {
    return fail(ErrorCode::usage, "--preset: " + preset.name + " has no times of a tier named " + store_tier +
                                      "; give --store-bandwidth, and --store-latency if it has one");
  }
  if (!arguments.store_latency.empty()) {
    const auto seconds = parse_duration(arguments.store_latency);
    if (!seconds) return fail(ErrorCode::usage, "--store-latency: " + seconds.error().message);
    store.line.base_seconds = *seconds;
  }
  return store;
}

Status check_ranges(const FleetArguments& arguments) {
  if (arguments.workload.contexts < arguments.workload.shards)
    return fail(ErrorCode::usage, "--contexts: " + std::to_string(arguments.workload.contexts) +
                                      " are fewer than the " + std::to_string(arguments.workload.shards) +
                                      " engines; give each engine one or more");
  const std::pair<const char*, double> numbers[]{{"--alpha", arguments.alpha},
                                                 {"--zipf", arguments.workload.zipf_exponent},
                                                 {"--engine-zipf", arguments.workload.shard_exponent},
                                                 {"--drift", arguments.workload.drift},
                                                 {"--loss", arguments.loss},
                                                 {"--rate", arguments.rate},
                                                 {"--length-scale", arguments.length_scale}};
  for (const auto& [option, value] : numbers)  // the declared ranges let it pass
    if (std::isnan(value)) return fail(ErrorCode::usage, std::string(option) + ": is not a number; give one");
  return {};
}

/// The engines' own tiers with their budgets, then the store.
Status add_budgets(const FleetArguments& arguments, const SimulatorPreset& preset, PreparedFleet& made,
                   PlannedSetup& planned) {
  const FleetWorkload& workload = arguments.workload;
  const double all = made.context_bytes * static_cast<double>(workload.contexts);
  const auto of_engine = [&] {
    return Expected<std::uint64_t>(static_cast<std::uint64_t>(std::min(all / workload.shards, 9e18)));
  };
  KV_ASSIGN(planned.tiers, simulated_tiers(arguments.tiers, preset, of_engine));
  for (const PlannedTier& tier : planned.tiers) {
    if (tier.name == store_tier)
      return fail(ErrorCode::usage, std::string("--tier: ") + store_tier +
                                        " is the shared store; give it --store-bytes and --store-bandwidth");
    made.setup.own_tiers.push_back(static_cast<double>(tier.budget_bytes));
    made.tiers.push_back(tier.name);
  }
  KV_ASSIGN(auto store, store_of(arguments, preset));
  planned.tiers.push_back(std::move(store));
  made.tiers.emplace_back(store_tier);
  made.budgets = made.setup.own_tiers;
  KV_ASSIGN(made.setup.store.held, store_budget(arguments.store_bytes, all));
  made.budgets.push_back(made.setup.store.held);
  if (!arguments.store_load.empty()) {
    KV_ASSIGN(const double load, bytes_per_second("--store-load", arguments.store_load));
    made.setup.store.loaded = load / arguments.rate;
  }
  return {};
}

}  // namespace

void add_fleet_options(CLI::App& command, FleetArguments& arguments) {
  FleetWorkload& workload = arguments.workload;
  command.add_option("--engines", workload.shards, "Engines that share the store")
      ->check(CLI::Range(1U, 10'000U))
      ->capture_default_str();
  command.add_option("--contexts", workload.contexts, "Contexts of all engines together, streamed")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{4'000'000'000}))
      ->capture_default_str();
  command.add_option("--preset", arguments.preset, "Published timings of a large model")->capture_default_str();
  command.add_option("--curves", arguments.curves,
                     "Profile file whose curves and lengths the contexts have (default: the quick start's)");
  command
      .add_option("--length-scale", arguments.length_scale,
                  "Contexts are this many times as long as those of the curves")
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str();
  command.add_option("--tier", arguments.tiers,
                     "NAME=BUDGET[,bandwidth=BYTES/s][,latency=TIME][,NAME=BUDGET..], tiers of each engine, fastest "
                     "first; BUDGET is bytes or a percentage of an engine's contexts' uncompressed KV (default: "
                     "dram=9%,ssd=21%, as in the quick start)");
  add_store_options(command, arguments);
  command.add_option("--alpha", arguments.alpha, "Seconds that one unit of quality is worth")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  command.add_option("--zipf", workload.zipf_exponent, "Zipf exponent of the contexts' popularity")
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str();
  command
      .add_option("--engine-zipf", workload.shard_exponent,
                  "Zipf exponent of the engines' shares of the requests; 0: all alike")
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str();
  command.add_option("--epochs", arguments.epochs, "Plans in a row; a later one begins with the prices before")
      ->check(CLI::Range(1U, 1000U))
      ->capture_default_str();
  command.add_option("--drift", workload.drift, "Share of contexts whose popularity is drawn again in each epoch")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command.add_option("--rounds", arguments.rounds, "Maximum rounds of prices in an epoch")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--loss", arguments.loss, "Share of messages that are lost")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command.add_option("--seed", workload.seed, "Seed of contexts, drift and losses")
      ->check(whole_number())
      ->capture_default_str();
  command.add_option("--threads", arguments.threads, "Compute threads; 0: one per core")
      ->check(CLI::Range(0U, static_cast<unsigned>(max_threads)))
      ->capture_default_str();
  add_json_option(command, arguments.json);
  add_progress_options(command, arguments.quiet);
}

Expected<PreparedFleet> prepare_fleet(const FleetArguments& arguments) {
  KV_TRY(check_ranges(arguments));
  KV_ASSIGN(const auto presets, all_presets());
  KV_ASSIGN(auto preset, find_preset(presets, arguments.preset));
  const std::filesystem::path file = arguments.curves.empty()
                                         ? program_home() / "resources" / "profiles" / "quickstart.profile.json"
                                         : arguments.curves;
  KV_ASSIGN(const auto curves, read_curves(file));
  PreparedFleet made;
  made.preset = preset.name;
  made.source = preset.source;
  made.curves = file.filename().string();
  const auto context_bytes = mean_entry_bytes(curves, preset.bytes_per_token, arguments.length_scale);
  if (!context_bytes) return fail(context_bytes.error().code, file.string() + ": " + context_bytes.error().message);
  made.context_bytes = *context_bytes;
  PlannedSetup planned;
  planned.preset = preset;
  planned.alpha = arguments.alpha;
  KV_TRY(add_budgets(arguments, preset, made, planned));
  KV_ASSIGN(auto classes, classes_of(planned, curves, arguments.length_scale));
  made.forms = classes.forms;
  for (const ContextClass& one : classes.classes) made.priced_forms += one.options.size();
  made.setup.classes = std::move(classes.classes);
  made.setup.workload = arguments.workload;
  made.setup.exchange.rounds = arguments.rounds;
  made.setup.exchange.loss = arguments.loss;
  made.setup.exchange.seed = arguments.workload.seed;
  made.setup.epochs = arguments.epochs;
  return made;
}

}  // namespace kvantage::cli
