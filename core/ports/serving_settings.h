// How requests come and are served: a part of SessionSettings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kvantage::inline ports {

inline constexpr std::string_view library_products = "library", batch_invariant_products = "batch_invariant";

/// What is computed together.
struct BatchSettings {
  int max_batch = 1;  // maximum requests in flight; below that the engine is idle, and profiling continues
  // Maximum tokens of a prefill step: a layer of one chunk of one request, or of several where products are
  // batch_invariant_products on the CPU. A chunk alone may have more; 0: each step is of one request.
  int prefill_batch_tokens = 512;
  bool operator==(const BatchSettings&) const = default;
};

struct ServingSettings : BatchSettings {
  double requests_per_second = 0;   // 0 = closed loop, back to back
  std::uint64_t request_limit = 0;  // 0 = the whole workload, repeated in the window
  // Ways to serve a stored context besides loading it, where the fits predict a gain (ServingWays): "hybrid": its front
  // is computed while its back is read; "prefill": all of it is computed; "auto": either; "off": neither.
  std::string compute_or_load = "auto";
  // Of decode-time eviction, e.g. "paged_eviction(budget=25%)"; "planned": chosen from decode_options by utility.
  std::string decode_eviction = "none";
  std::vector<std::string> decode_options;  // profiled beside compression: texts as above, "none" is always one
  std::string decode_offload = "none";      // tier that holds the cache while decoding, e.g. "ssd(split=load_only)"
  std::string speculation = "off";          // "lookup(n=3,k=8)": drafted tokens, several verified in a pass; "auto"
  bool attend_quantized = false;  // keep loaded caches quantized where the codec reads ranges (KIVI): less memory, but
                                  // each pass dequantizes them
  // How the model's matrices are multiplied, chosen when it is loaded: by libtorch, or batch_invariant_products: the
  // bits of a row do not depend on those computed with it.
  std::string products = std::string(library_products);
  bool operator==(const ServingSettings&) const = default;
};

inline constexpr int max_batch = 64;
/// A chunk of 256 tokens for each of max_batch requests.
inline constexpr int max_prefill_batch_tokens = 16'384;

}  // namespace kvantage::inline ports
