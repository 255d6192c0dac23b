// kvantage-cli model scale: how prefill and decoding scale with threads, measured on this machine's cores and predicted
// beyond them (core/model/cores/scaling_model.h).
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "app/cli/base/json_output.h"
#include "app/cli/base/value_checks.h"
#include "app/cli/commands.h"
#include "app/cli/model_common.h"
#include "app/cli/session_options.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/units.h"
#include "core/model/compute_cores.h"
#include "core/model/cores/scaling_model.h"

namespace kvantage::cli {
namespace {

/// Assumed: times that a layer's threads wait for each other in one chunk, or for one token: after the products for
/// queries, keys and values, attention, its output, the two products of the MLP, and once for what is between them.
constexpr int barriers_per_layer = 6;
constexpr int chunk_tokens = 256, block_tokens = 32, decoded_tokens = 8;

struct ScaleArguments {
  ModelArguments model;
  int tokens = 256, repeats = 3, up_to = 64;
  double bandwidth_gb = 0;
  bool json = false;
};

/// One kind of pass, with what it was measured to take.
struct ScaledPass {
  std::string name;
  std::vector<ThreadTime> measured;
  double bytes = 0;
  int barriers = 0;
};

struct MeasuredMachine {
  std::vector<ThreadTime> barriers;
  double thread_bytes_per_second = 0;  // beside as many others as were measured
};

/// 1, 2, 4, ... and `last`.
std::vector<int> doublings(int last) {
  std::vector<int> counts;
  for (int threads = 1; threads < last; threads *= 2) counts.push_back(threads);
  counts.push_back(last);
  return counts;
}

/// Seconds of an empty task on every thread.
double barrier_seconds(const Clock& clock, int threads) {
  constexpr int calls = 2000;
  const auto all = static_cast<std::size_t>(threads);
  const double begun = clock.seconds();
  for (int call = 0; call < calls; ++call) on_compute_threads(all, [](std::size_t) {});
  return (clock.seconds() - begun) / calls;
}

/// Bytes a second of one pass of all threads over the memory.
double read_rate(const Clock& clock, const std::vector<std::uint64_t>& memory, int threads) {
  const auto all = static_cast<std::size_t>(threads);
  std::vector<std::uint64_t> sums(all);
  const double begun = clock.seconds();
  on_compute_threads(all, [&](std::size_t thread) {
    const auto first = memory.begin() + static_cast<std::ptrdiff_t>(memory.size() / all * thread);
    sums[thread] = std::accumulate(first, first + static_cast<std::ptrdiff_t>(memory.size() / all), std::uint64_t{0});
  });
  const double seconds = clock.seconds() - begun;
  const bool read = std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}) > 0;
  return read ? static_cast<double>(memory.size() * sizeof(std::uint64_t)) / seconds : 0;
}

MeasuredMachine measure_machine(const Clock& clock, const ScaleArguments& arguments, int last) {
  const std::vector<std::uint64_t> memory(std::size_t{32} << 20, 1);  // 256 MiB
  MeasuredMachine machine;
  for (const int threads : doublings(last)) {
    set_compute_threads(threads);
    if (threads > 1) machine.barriers.push_back({threads, barrier_seconds(clock, threads)});
    double rate = 0;
    for (int repeat = 0; repeat < arguments.repeats; ++repeat) rate = std::max(rate, read_rate(clock, memory, threads));
    const double of_each = rate / threads;
    machine.thread_bytes_per_second = threads == 1 ? of_each : std::min(machine.thread_bytes_per_second, of_each);
  }
  return machine;
}

Status measure_passes(Transformer& model, const ScaleArguments& arguments, const Clock& clock, int threads,
                      ScaledPass& prefill, ScaledPass& decode) {
  set_compute_threads(threads);
  const auto tokens = static_cast<std::size_t>(arguments.tokens);
  const KvShape shape = model.kv_shape();
  BlockPool pool(shape, block_tokens, pool_bytes_for(shape, block_tokens, tokens + decoded_tokens));
  std::vector<std::int32_t> ids(tokens);
  for (std::size_t t = 0; t < tokens; ++t)
    ids[t] = static_cast<std::int32_t>(t * 7919 % static_cast<std::size_t>(model.config().vocab_size));
  std::vector<float> logits(static_cast<std::size_t>(model.config().vocab_size));
  double prefill_least = 0, decode_least = 0;
  for (int repeat = 0; repeat <= arguments.repeats; ++repeat) {  // the first one warms up
    KvCache cache(pool);
    PrefillTask task(model, cache, ids, 0,
                     {.chunk_tokens = chunk_tokens, .window_queries = 0, .logits = PrefillLogits::last});
    const double begun = clock.seconds();
    KV_TRY(task.run());
    const double filled = clock.seconds();
    for (int token = 0; token < decoded_tokens; ++token)
      KV_TRY(model.decode(cache, 1, arguments.tokens + token, logits));
    const double ended = clock.seconds();
    if (repeat == 0) continue;
    const double decoding = (ended - filled) / decoded_tokens;
    prefill_least = repeat == 1 ? filled - begun : std::min(prefill_least, filled - begun);
    decode_least = repeat == 1 ? decoding : std::min(decode_least, decoding);
  }
  prefill.measured.push_back({threads, prefill_least});
  decode.measured.push_back({threads, decode_least});
  return {};
}

OrderedJson rows_of(const ScaledPass& pass, const ScalingModel& scaling, const std::vector<int>& counts) {
  OrderedJson rows = OrderedJson::array();
  for (const int threads : counts) {
    const auto measured = std::ranges::find(pass.measured, threads, &ThreadTime::threads);
    OrderedJson row{{"threads", threads}, {"measured_seconds", nullptr}};
    if (measured != pass.measured.end()) row["measured_seconds"] = measured->seconds;
    row["predicted_seconds"] = scaling.seconds(threads);
    row["speedup"] = scaling.speedup(threads);
    row["bound"] = to_string(scaling.bound(threads));
    rows.push_back(std::move(row));
  }
  return rows;
}

/// What a barrier takes, and how that is known.
std::string barrier_text(const BarrierCost& barrier, std::size_t measured) {
  if (measured == 0) return "not measured on one thread, 0 us assumed";
  const std::string base = format_fixed(1e6 * barrier.base_seconds, 1) + " us";
  if (measured == 1) return base + " measured, the same assumed for more threads";
  return base + " + " + format_fixed(1e6 * barrier.seconds_per_doubling, 1) +
         " us per doubling of the threads, fitted to measured ones";
}

void print_pass(const OrderedJson& pass, int measured_threads) {
  std::printf("\n%s: %.3f ms of one thread's %.3f ms stay on one thread (%s), %d barriers (assumed)\n",
              pass.at("name").get<std::string>().c_str(), 1e3 * pass.at("serial_seconds").get<double>(),
              1e3 * pass.at("rows").at(0).at("predicted_seconds").get<double>(),
              measured_threads > 1 ? "fitted" : "assumed", pass.at("barriers").get<int>());
  std::printf("threads   measured    predicted   speedup  bound by\n");
  for (const OrderedJson& row : pass.at("rows")) {
    const OrderedJson& measured = row.at("measured_seconds");
    const std::string seen = measured.is_null() ? "-" : format_fixed(1e3 * measured.get<double>(), 3);
    std::printf("%7d %9s ms %9.3f ms %8.2fx  %s\n", row.at("threads").get<int>(), seen.c_str(),
                1e3 * row.at("predicted_seconds").get<double>(), row.at("speedup").get<double>(),
                row.at("bound").get<std::string>().c_str());
  }
}

Status scale(const ScaleArguments& arguments) {
  KV_ASSIGN(const auto model, load_model(arguments.model));
  const SystemClock clock;
  const int last = compute_threads();
  const MeasuredMachine machine = measure_machine(clock, arguments, last);
  const int layers = model->config().layers, chunks = (arguments.tokens + chunk_tokens - 1) / chunk_tokens;
  const auto weights = static_cast<double>(model->weight_bytes());
  ScaledPass prefill{"prefill", {}, weights * chunks, barriers_per_layer * layers * chunks};
  ScaledPass decode{"decode", {}, weights, barriers_per_layer * layers};
  for (const int threads : doublings(last)) KV_TRY(measure_passes(*model, arguments, clock, threads, prefill, decode));
  set_compute_threads(last);

  std::vector<int> counts = doublings(last);
  std::ranges::copy_if(doublings(arguments.up_to), std::back_inserter(counts),
                       [last](int threads) { return threads > last; });
  const BarrierCost barrier = BarrierCost::fit(machine.barriers);
  const double max_bytes_per_second = arguments.bandwidth_gb * 1e9;
  OrderedJson answer{{"folder", arguments.model.folder},
                     {"threads", last},
                     {"tokens", arguments.tokens},
                     {"weight_bytes", model->weight_bytes()},
                     {"bytes_per_second_of_a_thread", machine.thread_bytes_per_second},
                     {"max_bytes_per_second", max_bytes_per_second},
                     {"barrier_base_seconds", barrier.base_seconds},
                     {"barrier_seconds_per_doubling", barrier.seconds_per_doubling},
                     {"passes", OrderedJson::array()}};
  for (const ScaledPass* pass : {&prefill, &decode}) {
    const ScalingModel scaling = ScalingModel::fit({.bytes = pass->bytes,
                                                    .barriers = pass->barriers,
                                                    .thread_bytes_per_second = machine.thread_bytes_per_second,
                                                    .max_bytes_per_second = max_bytes_per_second,
                                                    .barrier = barrier},
                                                   pass->measured);
    answer["passes"].push_back(OrderedJson{{"name", pass->name},
                                           {"barriers", pass->barriers},
                                           {"serial_seconds", scaling.serial_seconds()},
                                           {"rows", rows_of(*pass, scaling, counts)}});
  }
  if (arguments.json) {
    print_json(answer);
    return {};
  }
  const std::string ceiling =
      arguments.bandwidth_gb > 0 ? format_fixed(arguments.bandwidth_gb, 1) + " GB/s as given" : "no limit assumed";
  std::printf(
      "%s: measured up to %d threads; speedup, bound and times beyond are predicted.\n"
      "A thread reads: %.1f GB/s measured. All together (--bandwidth): %s.\n"
      "A barrier takes: %s.\n",
      arguments.model.folder.c_str(), last, machine.thread_bytes_per_second * 1e-9, ceiling.c_str(),
      barrier_text(barrier, machine.barriers.size()).c_str());
  for (const OrderedJson& pass : answer.at("passes")) print_pass(pass, last);
  return {};
}

}  // namespace

void add_model_scale(CLI::App& model, CommandResult& result) {
  auto arguments = std::make_shared<ScaleArguments>();
  CLI::App& command = *model.add_subcommand("scale", "Measure how a model scales with threads, and predict beyond");
  add_model_options(command, arguments->model);
  command.add_option("--tokens", arguments->tokens, "Tokens of the prompt")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command.add_option("--repeat", arguments->repeats, "Passes at each number of threads; the fastest counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--up-to", arguments->up_to, "Highest number of threads to predict")
      ->check(CLI::Range(1, max_threads))
      ->capture_default_str();
  command
      .add_option("--bandwidth", arguments->bandwidth_gb, "GB/s that all cores together read from memory; 0: no limit")
      ->check(CLI::Range(0.0, 100000.0))
      ->capture_default_str();
  add_json_option(command, arguments->json);
  command.callback([arguments, &result] {
    const Status scaled = scale(*arguments);
    result.exit_code = scaled ? 0 : report_error(scaled.error());
  });
}

}  // namespace kvantage::cli
