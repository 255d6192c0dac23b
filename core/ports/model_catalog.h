// What is known of a model without loading it, for the window: facts of a folder or GGUF file, models in a folder, and
// the memory that is free. Plain values; whoever reads files implements the port.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace kvantage::inline ports {

/// Of a checkpoint's weights; 0 or empty: not known.
struct WeightFacts {
  std::string architecture;        // "Qwen2ForCausalLM"
  std::uint64_t parameters = 0;    // embeddings counted once when tied
  std::string stored_as;           // types of its tensors by their bytes, the largest first: "Q4_K, Q6_K, F32"
  std::string computed_as;         // "bf16" or "fp32", on this processor
  std::uint64_t file_bytes = 0;    // of all tensors, as stored
  std::uint64_t loaded_bytes = 0;  // as computed with: the number that loading compares with the free memory
};

/// Of its KV caches. Bytes are over all layers and KV heads.
struct CacheFacts {
  int layers = 0, kv_heads = 0, head_dim = 0;
  std::string type;                        // "bf16" or "fp32"
  std::uint64_t bytes_per_token = 0;       // keys and values, uncompressed
  std::uint64_t pool_bytes_per_token = 0;  // in a full block of the pool: positions and padding included
  std::uint64_t pool_limit_bytes = 0;      // the most that a session's pool holds
  double kivi4_bytes_per_token = 0;        // encoded with kivi4, mean over a context of kivi4_tokens
  int kivi4_tokens = 0;
  int max_positions = 0;
};

/// Of its layers with a sliding window; 0 layers: none.
struct WindowFacts {
  int layers = 0;
  int longest = 0;                    // tokens that their queries see
  std::uint64_t bytes_per_token = 0;  // of the other layers: what a token adds to a context longer than all windows
};

/// Of its tokenizer.
struct TokenizerFacts {
  int tokens = 0;
  std::string prompt_form;           // "chatml", "raw", ...
  bool chat_template = false;        // the files have one
  std::string template_source = {};  // where: "chat_template.jinja"; empty: nowhere
};

struct ModelFacts {
  std::string path, name;
  std::string refusal;  // why it cannot be opened, in the words of opening it; then the rest may be unknown
  std::string digest;   // of configuration, tensors and samples of their bytes: known without reading all weights
  WeightFacts weights;
  CacheFacts caches;
  WindowFacts windows;
  TokenizerFacts tokenizer;
  std::uint64_t workspace_bytes = 0;  // buffers of a prefill, beside weights and caches
};

/// Memory of the machine, or of the control group where that allows less.
struct MemoryReading {
  std::uint64_t available_bytes = 0, total_bytes = 0;  // 0: not known
};

struct FoundModel {
  std::string path;
  std::string name;  // "Qwen/Qwen2.5-0.5B-Instruct" in a Hugging Face cache, else the path below the folder
};

/// Every function may be called in any thread.
class ModelCatalog {
 public:
  virtual ~ModelCatalog() = default;
  /// Reads configuration, tokenizer and the headers of the weights: up to a few seconds. Never fails: see `refusal`.
  virtual ModelFacts read(const std::string& path) const = 0;
  /// Model folders and GGUF files below `folder`, by name; what was found so far once `cancelled`.
  virtual std::vector<FoundModel> models_below(const std::string& folder, const std::atomic<bool>& cancelled) const = 0;
  /// The folder that Hugging Face's tools download to; empty: there is none.
  virtual std::string shared_cache() const = 0;
  virtual MemoryReading memory() const = 0;
};

}  // namespace kvantage::inline ports
