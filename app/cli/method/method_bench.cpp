// kvantage-cli method bench: how long a method file takes for a layer, beside knorm.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/base/json_output.h"
#include "app/cli/base/value_checks.h"
#include "app/cli/method/method_commands.h"
#include "app/cli/method/random_layers.h"
#include "app/cli/session_options.h"
#include "app/wiring/method_files.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/model/transformer.h"

namespace kvantage::cli {
namespace {

constexpr double bench_layer_seconds = 20;  // slow ones are what somebody wants to know

struct MethodBenchArguments {
  std::string file, beside = "knorm";
  int tokens = 2560, kv_heads = 8, head_dim = 128, repeats = 15, threads = 0;
  bool json = false;
};

/// Seconds of scoring and ranking one layer.
Expected<double> seconds_of_layer(const Method& method, const RandomLayers& layers, const Clock& clock) {
  LayerScores scores;
  const double begun = clock.seconds();
  KV_TRY(method.score_layer(layers.cache(), layers.observed(), scores));
  return clock.seconds() - begun;
}

double median_of(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

Status bench_method_file(const MethodBenchArguments& arguments) {
  set_compute_threads(arguments.threads);
  KV_ASSIGN(const auto file, open_method_file(arguments.file, true, bench_layer_seconds));
  KV_ASSIGN(const auto method, parse_method(file.name));
  KV_ASSIGN(const auto beside, parse_method(arguments.beside));
  const RandomLayers layers({.layers = 1,
                             .kv_heads = arguments.kv_heads,
                             .group = 4,
                             .head_dim = arguments.head_dim,
                             .tokens = arguments.tokens,
                             .type = KvType::bf16});
  const SystemClock clock;
  std::vector<double> own, others;
  for (int repeat = -2; repeat < arguments.repeats; ++repeat) {  // the first two warm up
    KV_ASSIGN(const double seconds, seconds_of_layer(*method, layers, clock));
    KV_ASSIGN(const double other, seconds_of_layer(*beside, layers, clock));
    if (repeat < 0) continue;
    own.push_back(seconds);
    others.push_back(other);
  }
  const double seconds = median_of(own), other = median_of(others);
  if (arguments.json)
    print_json(OrderedJson{{"name", file.name},
                           {"tokens", arguments.tokens},
                           {"kv_heads", arguments.kv_heads},
                           {"head_dim", arguments.head_dim},
                           {"repeats", arguments.repeats},
                           {"seconds_per_layer", seconds},
                           {"beside", beside->text()},
                           {"beside_seconds_per_layer", other},
                           {"times", seconds / other}});
  else
    std::printf(
        "%s: %.3f ms a layer of %d tokens, %d KV heads of %d; %s: %.3f ms; %.2f times as long (medians of %d)\n",
        file.alias.c_str(), seconds * 1e3, arguments.tokens, arguments.kv_heads, arguments.head_dim,
        beside->text().c_str(), other * 1e3, seconds / other, arguments.repeats);
  return {};
}

}  // namespace

void add_method_bench(CLI::App& method, CommandResult& result) {
  auto arguments = std::make_shared<MethodBenchArguments>();
  CLI::App& command = *method.add_subcommand("bench", "Time a method file beside a built-in method");
  command.add_option("FILE", arguments->file, "TorchScript file")->required();
  command.add_option("--method", arguments->beside, "Built-in method to compare with")->capture_default_str();
  command.add_option("--tokens", arguments->tokens, "Tokens of the made-up layer")
      ->check(CLI::Range(2, 65536))
      ->capture_default_str();
  command.add_option("--kv-heads", arguments->kv_heads, "KV heads of the layer")
      ->check(CLI::Range(1, 128))
      ->capture_default_str();
  command.add_option("--head-dim", arguments->head_dim, "Numbers of a key")
      ->check(CLI::Range(2, 512))
      ->capture_default_str();
  command.add_option("--repeat", arguments->repeats, "Calls of each")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command.add_option("--threads", arguments->threads, "Compute threads; 0: one per core")
      ->check(CLI::Range(0, max_threads))
      ->capture_default_str();
  add_json_option(command, arguments->json);
  command.callback([arguments, &result] {
    const Status timed = bench_method_file(*arguments);
    result.exit_code = timed ? 0 : report_error(timed.error());
  });
}

}  // namespace kvantage::cli
