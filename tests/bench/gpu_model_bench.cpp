// How fast a model is on a device: prefill in tokens a second, decode steps with and without a graph as a share of what
// a copy within the device's memory reaches in the same run, and the time to the first token of a stored context from
// the device, page-locked host memory, a file, and by prefill. Random weights of Llama 3.1 8B's shape, made on the
// device; then the default model. Wall time, the best of several, as other work only makes it longer. Options: --small
// (a shape of 0.2 G parameters), --tokens N (of the context, 8192), --file FILE (where the stored context is written; a
// temporary one). bench_gpu_model_emulated is the same over emulated kernels with a shape that says nothing about time:
// it shows that all of this runs.
#include "tests/gpu/model/model_under_test.h"

#include <fcntl.h>

#include <array>
#include <chrono>
#include <cstring>
#include <functional>

#include "core/base/random.h"
#include "core/base/units.h"
#include "core/kv/kv_cache.h"
#include "gpu/kernels/timing.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

#ifdef KVANTAGE_TEST_CUDA
constexpr bool emulated = false;
#else
constexpr bool emulated = true;
#endif
constexpr int rounds = emulated ? 1 : 3, steps = emulated ? 2 : 32, question_tokens = emulated ? 4 : 32;

struct Settings {
  bool small = false;
  int tokens = emulated ? 40 : 8192;
  std::filesystem::path file;
};

double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}
double best(const std::function<double()>& once) {
  double least = 1e9;
  for (int round = 0; round <= rounds; ++round) {  // the first one warms up
    const double taken = once();
    if (round > 0) least = std::min(least, taken);
  }
  return least;
}

/// Bytes a second, each read and written.
double copy_rate() {
  const std::size_t bytes = emulated ? std::size_t{1} << 20 : std::size_t{1} << 30;
  const auto from = value_of(gpu::DeviceBytes::allocate(bytes)), to = value_of(gpu::DeviceBytes::allocate(bytes));
  const double taken = best([&] {
    return value_of(gpu::seconds_of(nullptr, [&] { return gpu::copy_within(to.data(), from.data(), bytes, nullptr); }));
  });
  return 2 * static_cast<double>(bytes) / taken;
}

ModelConfig shape(bool small) {
  ModelConfig config;
  config.vocab_size = 128256, config.hidden = 4096, config.layers = 32, config.heads = 32, config.kv_heads = 8,
  config.head_dim = 128, config.intermediate = 14336;
  if (small)
    config.vocab_size = 32000, config.hidden = 1024, config.layers = 8, config.heads = 16, config.kv_heads = 4,
    config.head_dim = 64, config.intermediate = 4096;
  if (emulated)
    config.vocab_size = 128, config.hidden = 64, config.layers = 2, config.heads = 4, config.kv_heads = 2,
    config.head_dim = 16, config.intermediate = 128;
  config.rope.theta = 500000;
  config.rms_eps = 1e-5F;
  config.max_positions = 131072;
  config.dtype = WeightType::bf16;
  return config;
}

std::vector<std::int32_t> random_tokens(int count, int vocab) {
  Random random(1);
  std::vector<std::int32_t> tokens;
  for (int i = 0; i < count; ++i)
    tokens.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(vocab))));
  return tokens;
}

std::size_t row_bytes(const ModelConfig& config) {
  return std::size_t{4} * static_cast<std::size_t>(config.layers * config.kv_heads * config.head_dim);
}

void prefills(gpu::GpuModel& model, int most) {
  std::printf("%-10s %12s %14s %12s\n", "prefill", "tokens", "tokens/s", "TFLOP/s");
  for (int tokens = std::max(1, most / 16); tokens <= most; tokens *= 4) {
    const auto context = random_tokens(tokens, model.config().vocab_size);
    const double taken = best([&] {
      auto sequence = value_of(model.new_sequence());
      return seconds([&] { value_of(model.prefill(*sequence, context, PrefillLogits::last)); });
    });
    const ModelConfig& config = model.config();
    const double matrices = 2 * static_cast<double>(config.parameters()) -
                            2.0 * (config.tied_embeddings ? 1 : 2) * config.vocab_size * config.hidden;
    const double attention =
        2.0 * config.layers * config.heads * config.head_dim * tokens;  // causal: half of 4 tokens a query
    std::printf("%-10s %12d %14.0f %12.2f\n", "", tokens, tokens / taken,
                (matrices + attention) * tokens / taken / 1e12);
  }
}

void decodes(gpu::GpuModel& model, int context_tokens, double copied) {
  const ModelConfig& config = model.config();
  const std::uint64_t table = config.tied_embeddings ? 0
                                                     : static_cast<std::uint64_t>(config.vocab_size) *
                                                           static_cast<std::uint64_t>(config.hidden) * 2;
  const bool graphs = model.has_graphs();
  std::printf("%-10s %12s %14s %12s %12s %12s\n", "decode", "sequences", "context", "graph", "step", "of a copy");
  for (const int sequences : emulated ? std::vector{1, 2} : std::vector{1, 4, 16}) {
    const int tokens = std::max(1, context_tokens / sequences);
    std::vector<std::unique_ptr<gpu::GpuSequence>> all;
    std::vector<gpu::GpuSequence*> batch;
    for (int s = 0; s < sequences; ++s) {
      all.push_back(value_of(model.new_sequence()));
      value_of(model.prefill(*all.back(), random_tokens(tokens, config.vocab_size), PrefillLogits::none));
      batch.push_back(all.back().get());
    }
    const std::vector<std::int32_t> first(static_cast<std::size_t>(sequences), 1);
    for (const bool graph : {false, true}) {
      if (graph && !graphs) continue;
      model.use_graphs(graph);
      const double taken = best([&] {
                             const double of_all = seconds([&] { value_of(model.decode(batch, first, steps)); });
                             for (gpu::GpuSequence* sequence : batch) must(model.truncate(*sequence, tokens));
                             return of_all;
                           }) /
                           steps;
      const double bytes = static_cast<double>(model.weight_bytes() - table) +
                           static_cast<double>(row_bytes(config)) * sequences * (tokens + steps / 2);
      std::printf("%-10s %12d %14d %12s %9.3f ms %10.1f %%\n", "", sequences, tokens, graph ? "yes" : "no", taken * 1e3,
                  100 * bytes / taken / copied);
    }
    model.use_graphs(graphs);
  }
}

/// A context that a store keeps layer by layer in a file.
class StoredFile {
 public:
  StoredFile(std::filesystem::path path, gpu::GpuContextImage& image, int layers) : path_(std::move(path)) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    check(file_ >= 0, path_.string() + " can be written");
    for (int layer = 0; layer < layers; ++layer) {
      const auto bytes = image.layer(layer);
      places_.push_back(size_);
      move(bytes, size_,
           [](int file, std::byte* at, std::size_t count, off_t place) { return ::pwrite(file, at, count, place); });
      size_ += static_cast<off_t>(bytes.size());
    }
  }
  ~StoredFile() {
    ::close(file_);
    ::unlink(path_.c_str());
  }
  StoredFile(const StoredFile&) = delete;
  StoredFile& operator=(const StoredFile&) = delete;

  /// Out of the system's memory, so that the next reads are the disk's.
  void cool() const {
    ::fsync(file_);
    ::posix_fadvise(file_, 0, 0, POSIX_FADV_DONTNEED);
  }
  Status read(int layer, std::span<std::byte> bytes) const {
    move(bytes, places_[static_cast<std::size_t>(layer)],
         [](int file, std::byte* at, std::size_t count, off_t place) { return ::pread(file, at, count, place); });
    return {};
  }

 private:
  template <class Move>
  void move(std::span<std::byte> bytes, off_t place, const Move& some) const {
    while (!bytes.empty()) {
      const ssize_t count = some(file_, bytes.data(), bytes.size(), place);
      if (count <= 0) must(fail(ErrorCode::io, path_.string() + ": cannot be read or written; choose another --file"));
      bytes = bytes.subspan(static_cast<std::size_t>(count));
      place += count;
    }
  }

  std::filesystem::path path_;
  int file_ = -1;
  std::vector<off_t> places_;
  off_t size_ = 0;
};

/// The same context, of which each head keeps 10 to 90 % of the tokens, half of them on average.
std::unique_ptr<gpu::GpuSequence> ragged_copy(gpu::GpuModel& model, const gpu::GpuSequence& whole, int tokens) {
  const ModelConfig& config = model.config();
  BlockPool pool({config.layers, config.kv_heads, config.head_dim}, 32,
                 // What stays is copied before the rest goes.
                 2 * row_bytes(config) * static_cast<std::size_t>(tokens + 32));
  KvCache cache(pool);
  must(model.download(whole, cache));
  Random random(2);
  for (int layer = 0; layer < config.layers; ++layer) {
    KeptIndices kept(static_cast<std::size_t>(config.kv_heads));
    for (auto& rows : kept) {
      const std::uint64_t share = 1 + random.below(9);
      for (std::int32_t i = 0; i < tokens; ++i)
        if (random.below(10) < share) rows.push_back(i);
    }
    must(cache.keep(layer, kept));
  }
  auto sequence = value_of(model.new_sequence());
  must(model.upload(cache, *sequence));
  return sequence;
}

void first_tokens(gpu::GpuModel& model, const Settings& settings, const std::filesystem::path& file) {
  const ModelConfig& config = model.config();
  const int tokens = std::min(settings.tokens, config.max_positions - question_tokens - 1);
  const auto context = random_tokens(tokens, config.vocab_size),
             question = random_tokens(question_tokens, config.vocab_size);
  auto kept = value_of(model.new_sequence());
  value_of(model.prefill(*kept, context, PrefillLogits::none));
  const auto image = value_of(model.image(*kept));
  const StoredFile stored(file, *image, config.layers);
  const auto ask = [&](gpu::GpuSequence& sequence) {
    value_of(model.prefill(sequence, question, PrefillLogits::last));
  };
  // A hit in the device's memory computes the question over a context that is there, and nothing else.
  double device = 0;
  const auto row = [&](const char* from, const std::function<double()>& once) {
    const double taken = best(once);
    if (device == 0) device = taken;
    std::printf("%-10s %12s %14d %9.3f ms %9.2f\n", "", from, tokens, taken * 1e3, taken / device);
  };
  std::printf("%-10s %12s %14s %12s %9s   (%zu B a token, question of %d)\n", "TTFT", "from", "context", "",
              "of device", row_bytes(config), question_tokens);
  const auto asked = [&](gpu::GpuSequence& sequence) {
    const double taken = seconds([&] { ask(sequence); });
    must(model.truncate(sequence, tokens));
    return taken;
  };
  row("device", [&] { return asked(*kept); });
  {
    const auto ragged = ragged_copy(model, *kept, tokens);
    row("half, ragged", [&] { return asked(*ragged); });
  }
  const auto loaded_from = [&](const gpu::FillLayer& fill) {
    auto sequence = value_of(model.new_sequence());
    return seconds([&] {
      must(model.load(*image, *sequence, fill));
      ask(*sequence);
    });
  };
  row("pinned DRAM", [&] { return loaded_from({}); });
  row("file", [&] {
    stored.cool();
    return loaded_from([&](int layer, std::span<std::byte> bytes) { return stored.read(layer, bytes); });
  });
  row("prefill", [&] {
    auto sequence = value_of(model.new_sequence());
    return seconds([&] {
      value_of(model.prefill(*sequence, context, PrefillLogits::none));
      ask(*sequence);
    });
  });
}

void measure(const gpu::GpuModelSource& source, const Settings& settings, double copied, const std::string& name) {
  const ModelConfig& config = source.model != nullptr ? source.model->config() : *source.shape;
  gpu::GpuModelOptions options;
  // The longest context twice, its steps, and blocks that are not full.
  options.cache_bytes =
      row_bytes(config) * 5 / 2 * static_cast<std::uint64_t>(settings.tokens + 64 * options.block_tokens);
  const auto model = open_under_test(source, options);
  std::printf("\n%s: %.2f G parameters, %s\n", name.c_str(), static_cast<double>(config.parameters()) / 1e9,
              model->description().c_str());
  const int tokens = std::min(settings.tokens, config.max_positions / 2);
  prefills(*model, tokens);
  decodes(*model, tokens, copied);
  first_tokens(*model, settings, settings.file);
}

}  // namespace

int main(int count, char** arguments) {
  need_device();
  Settings settings;
  settings.file = std::filesystem::temp_directory_path() / ("kvantage_gpu_model_bench_" + std::to_string(::getpid()));
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    if (word == "--small")
      settings.small = true;
    else if (word == "--tokens" && i + 1 < count)
      settings.tokens = std::max(16, std::atoi(arguments[++i]));
    else if (word == "--file" && i + 1 < count)
      settings.file = arguments[++i];
    else
      return std::printf("usage: %s [--small] [--tokens N] [--file FILE]\n", arguments[0]), 2;
  }
  const double copied = copy_rate();
  std::printf("%s; a copy within the device: %.1f GB/s\n", gpu::device_name().c_str(), copied / 1e9);
  const ModelConfig random_shape = shape(settings.small);
  measure({.shape = &random_shape}, settings, copied, "random weights");
  const auto model = value_of(Transformer::load(in_tree("resources/model")));
  Settings of_default = settings;
  of_default.tokens = std::min(settings.tokens, emulated ? 24 : 2048);
  measure({.model = model.get()}, of_default, copied, "the default model");
  return end();
}
