// Scorers that come from a file. Such a file is code of somebody else, so it runs in a process of its own, without
// files and network (app/method_worker). Core knows no processes: it asks a host.
#pragma once

#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline ports {

/// What a scorer of a file may read, in the order of scorer_input_names.
enum class ScorerInput : std::uint8_t { keys, values, queries, attention, positions, hidden_states, frequencies };

/// Names of a scorer's arguments: of each ScorerInput.
inline constexpr std::array<const char*, 7> scorer_input_names{"keys",      "values",        "queries",    "attention",
                                                               "positions", "hidden_states", "frequencies"};

/// What the scorer of a file declares.
struct ScorerFileNeeds {
  std::array<bool, scorer_input_names.size()> reads = {};  // by ScorerInput
  int window_queries = 0;                                  // last tokens whose queries it reads; INT_MAX: all
  bool decode_eviction = false;                            // may also score rows while an answer is decoded
  int cadence = 32;                                        // then: decoded tokens between two evictions

  bool of(ScorerInput input) const { return reads[static_cast<std::size_t>(input)]; }
};

/// Digits of the digest in a name.
inline constexpr std::size_t scorer_file_digits = 10;
/// What methods, profiles and stored entries name it, so that two versions of a file never mix:
/// "my_method_0123456789".
inline std::string scorer_file_name(std::string_view alias, std::string_view digest) {
  return std::string(alias) + "_" + std::string(digest.substr(0, scorer_file_digits));
}

/// The scorer of a file.
struct ScorerFileFacts {
  std::string name;    // scorer_file_name()
  std::string alias;   // as the user writes it
  std::string digest;  // of the file's bytes, 32 hexadecimal digits
  std::string summary, source;
  ScorerFileNeeds needs;
  bool confined = true;  // false: this system cannot confine it, and the user has allowed it all the same
};

/// One input of a call, fp32, row-major; positions are int32.
///   keys, values [kv_heads, tokens, head_dim], keys after RoPE; queries [kv_heads, group, window, head_dim], after
///   RoPE, of the last tokens; positions [kv_heads, tokens]; hidden_states [tokens, hidden]; frequencies [head_dim/2],
///   radians per position. attention [kv_heads, group, window, tokens] is computed from keys and queries where it runs.
struct ScorerTensor {
  ScorerInput input = ScorerInput::keys;
  std::vector<std::int64_t> shape;

  std::size_t bytes() const {
    std::size_t count = 4;
    for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
    return count;
  }
};

/// One layer to score.
struct ScorerCall {
  int layer = 0;
  int sequence_length = 0;  // tokens ever seen
  int kv_heads = 0, tokens = 0;
  std::vector<ScorerTensor> inputs;
  /// Fills the memory of inputs[i], bytes() long.
  std::function<void(std::size_t i, std::span<std::byte> memory)> write;
};

class ScorerHost {
 public:
  virtual ~ScorerHost() = default;
  virtual const ScorerFileFacts& facts() const = 0;
  /// Scores of one layer: fills scores [kv_heads, tokens], all finite. rejected_input, naming the file: the scorer
  /// failed, took too long, ended its process, or returned something else. The next call starts it again. Any thread;
  /// one call at a time.
  virtual Status score(const ScorerCall& call, std::span<float> scores) = 0;
};

}  // namespace kvantage::inline ports
