// What loads and prefills are compared with: the same bytes copied, the same bytes read, the same arithmetic as GEMMs,
// each on this machine, in this run, between the very measurements it is compared with.
#pragma once

#include <ATen/ATen.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <vector>

#include "core/base/unique_fd.h"
#include "core/model/config.h"
#include "tiers/mapped_memory.h"

namespace kvantage::testing {

using SteadyClock = std::chrono::steady_clock;

inline double seconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

/// Samples of one quantity; a bench collects one a round, so that noise of the machine hits all quantities alike.
class Samples {
 public:
  void add(double value) { values_.push_back(value); }
  double median() const {
    std::vector<double> sorted = values_;
    std::ranges::sort(sorted);
    return sorted.empty() ? 0 : sorted[sorted.size() / 2];
  }

 private:
  std::vector<double> values_;
};

/// Reads more memory than the processor caches, so that what is copied next comes from memory, as a stored context
/// does after other requests.
class CacheSweeper {
 public:
  CacheSweeper() : memory_(std::size_t{96} << 17, 1) {}
  void sweep() {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < memory_.size(); i += 8) sum += memory_[i];
    memory_[0] = sum | 1;
  }

 private:
  std::vector<std::uint64_t> memory_;  // 96 MiB
};

/// One memcpy between buffers whose pages are there already.
class BareCopy {
 public:
  explicit BareCopy(std::size_t bytes) : source_(bytes, std::byte{7}), target_(bytes, std::byte{3}) {}
  double seconds() {
    const auto start = SteadyClock::now();
    std::memcpy(target_.data(), source_.data(), source_.size());
    return seconds_since(start);
  }

 private:
  std::vector<std::byte> source_, target_;
};

/// One file of whole pages, read whole with O_DIRECT into memory whose pages are there already; opened again each time,
/// as a tier does. Where O_DIRECT is refused the page cache is dropped before each read.
class BareRead {
 public:
  BareRead(const std::filesystem::path& path, std::size_t bytes) : path_(path), bytes_(bytes) {
    auto memory = MappedMemory::map(bytes, true);
    UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644));
    if (!memory || !fd) return;
    memory_ = std::move(*memory);
    // Bytes that no storage below can compress away.
    std::uint64_t state = 88172645463325252ULL;
    for (std::size_t i = 0; i + 8 <= memory_.size(); i += 8) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      std::memcpy(memory_.data() + i, &state, 8);
    }
    ready_ = ::write(fd.get(), memory_.data(), bytes) == static_cast<ssize_t>(bytes) && ::fsync(fd.get()) == 0;
  }
  bool ready() const { return ready_; }
  bool direct() const { return direct_; }
  /// Negative when the system refuses.
  double seconds() {
    if (UniqueFd fd{direct_ ? -1 : ::open(path_.c_str(), O_RDONLY)}; fd)
      ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);
    const auto start = SteadyClock::now();
    UniqueFd fd(::open(path_.c_str(), O_RDONLY | (direct_ ? O_DIRECT : 0)));
    for (std::size_t at = 0; at < bytes_;) {
      const ssize_t got = ::pread(fd.get(), memory_.data() + at, bytes_ - at, static_cast<off_t>(at));
      if (got <= 0 && direct_) {
        direct_ = false;
        return seconds();
      }
      if (got <= 0) return -1;
      at += static_cast<std::size_t>(got);
    }
    return seconds_since(start);
  }

 private:
  std::filesystem::path path_;
  std::size_t bytes_;
  MappedMemory memory_;
  bool ready_ = false, direct_ = true;
};

/// Floating-point operations (a multiply and an add are two) that a prefill of `tokens` into an empty cache does when
/// no logits are asked for: the top layer then ends with its keys and values. `queries` = tokens whose top-layer
/// queries are computed as well. Projections, MLP, and of attention both products over the visible half.
inline double prefill_operations(const ModelConfig& model, double tokens, double queries) {
  const double hidden = model.hidden, width = model.heads * model.head_dim, kv_width = model.kv_heads * model.head_dim;
  const double keys_and_values = 2 * tokens * hidden * 2 * kv_width;
  const double rest = 2 * tokens * hidden * 2 * width + 2 * tokens * 3 * hidden * model.intermediate;
  const double attention = 2 * 2 * width * tokens * (tokens + 1) / 2;
  return model.layers * keys_and_values + (model.layers - 1) * (rest + attention) + 2 * queries * hidden * width;
}

/// The rate of libtorch's GEMM at the shapes of the model's MLP: one chunk up to the intermediate width and down again.
class BareGemm {
 public:
  BareGemm(const ModelConfig& model, int chunk, at::ScalarType type)
      : input_(at::randn({chunk, model.hidden}).to(type)),
        up_(at::randn({model.intermediate, model.hidden}).to(type)),
        down_(at::randn({model.hidden, model.intermediate}).to(type)),
        middle_(at::empty({chunk, model.intermediate}, type)),
        output_(at::empty({chunk, model.hidden}, type)),
        operations_(4.0 * chunk * model.hidden * model.intermediate) {}
  /// Operations per second, over `repeats` pairs.
  double rate(int repeats) {
    const at::InferenceMode inference;
    const auto start = SteadyClock::now();
    for (int i = 0; i < repeats; ++i) {
      at::mm_out(middle_, input_, up_.t());
      at::mm_out(output_, middle_, down_.t());
    }
    return operations_ * repeats / seconds_since(start);
  }

 private:
  at::Tensor input_, up_, down_, middle_, output_;
  double operations_;
};

}  // namespace kvantage::testing
