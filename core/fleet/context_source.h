// The contexts of a simulated fleet, drawn when they are asked for: never all at once, and the same whatever the order
// of shards and the size of chunks. A context has one of the given classes, equally likely, and a rank of popularity;
// its frequency is (rank + 1)^-zipf_exponent, over the sum of all ranks. Each rank is one context's: ranks are a keyed
// permutation. Later epochs give a share of the contexts a rank drawn again.
#pragma once

#include <cstdint>
#include <vector>

namespace kvantage::inline fleet {

struct FleetWorkload {
  std::uint64_t contexts = 1'000'000;
  std::uint32_t shards = 1;
  double zipf_exponent = 0.9;  // of contexts
  double shard_exponent = 0;   // of the shards' requests: (shard + 1)^-exponent, mean 1; 0: all alike
  double drift = 0;            // share of contexts whose popularity changes from epoch to epoch
  std::uint64_t seed = 1;
};

struct ContextChunk {
  std::vector<std::uint32_t> classes;
  std::vector<float> frequencies;
};

class ContextSource {
 public:
  /// What all shards share of a workload.
  struct Plan {
    explicit Plan(const FleetWorkload& drawn);
    FleetWorkload workload;
    double scale = 1;                 // of frequencies, which sum to 1 in the first epoch
    std::vector<double> shard_scale;  // [shards], mean 1
  };

  /// `plan` must outlive it.
  ContextSource(const Plan& plan, std::size_t classes, std::uint32_t shard, std::uint32_t epoch);
  std::uint64_t size() const { return end_ - at_; }
  /// Up to `most` further contexts; an empty chunk at the end.
  void next(std::size_t most, ContextChunk& chunk);

 private:
  std::uint64_t rank_of(std::uint64_t context) const;

  const Plan& plan_;
  std::uint64_t classes_, at_, end_, epoch_, mask_;
  int half_;
  double scale_;
};

}  // namespace kvantage::inline fleet
