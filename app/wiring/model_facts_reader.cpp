#include "app/wiring/model_facts_reader.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "app/wiring/resources.h"
#include "app/wiring/workload_opening.h"
#include "core/base/digest.h"
#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/machine_memory.h"
#include "core/engine/engine.h"
#include "core/model/config.h"
#include "core/model/memory.h"
#include "core/model/model_files.h"
#include "core/model/safetensors.h"
#include "core/model/weight_plan.h"
#include "core/text/chat/prompt_template.h"

namespace kvantage::inline wiring {
namespace {

namespace fs = std::filesystem;

/// The codec that a KV cache is compared with, over a context of at most so many tokens.
constexpr std::string_view compared_codec = "kivi4";
constexpr int compared_tokens = 4096;

KvShape shape_of(const ModelConfig& config, KvType type) {
  return {.layers = config.layers, .kv_heads = config.kv_heads, .head_dim = config.head_dim, .type = type};
}

WindowFacts windows_of(const ModelConfig& config, const CacheFacts& caches) {
  WindowFacts facts;
  for (const int window : config.windows()) {
    facts.layers += window > 0 ? 1 : 0;
    facts.longest = std::max(facts.longest, window);
  }
  if (facts.layers > 0)
    facts.bytes_per_token = caches.bytes_per_token / static_cast<std::uint64_t>(config.layers) *
                            static_cast<std::uint64_t>(config.layers - facts.layers);
  return facts;
}

Status fill_caches(CacheFacts& facts, const ModelConfig& config, KvType type) {
  const ModelRuntimeOptions runtime;
  const KvShape shape = shape_of(config, type);
  facts.layers = config.layers;
  facts.kv_heads = config.kv_heads;
  facts.head_dim = config.head_dim;
  facts.type = to_string(type);
  facts.bytes_per_token = shape.bytes_per_token();
  facts.pool_bytes_per_token = pool_bytes_per_token(shape, runtime.block_tokens);
  facts.pool_limit_bytes = runtime.pool_bytes;
  facts.kivi4_tokens = std::min(compared_tokens, config.max_positions);
  facts.max_positions = config.max_positions;
  KV_ASSIGN(facts.kivi4_bytes_per_token, encoded_bytes_per_token(shape, compared_codec, facts.kivi4_tokens));
  return {};
}

/// "Q4_K, Q6_K, F32".
std::string stored_types_text(const WeightFiles& files) {
  std::map<std::string, std::uint64_t> bytes;
  for (const auto& [name, tensor] : files.tensors()) bytes[tensor.dtype] += tensor.bytes.size();
  std::vector<std::pair<std::uint64_t, std::string>> types;
  types.reserve(bytes.size());
  for (const auto& [type, of_type] : bytes) types.emplace_back(of_type, type);
  std::ranges::sort(
      types, [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  std::string text;
  for (const auto& [of_type, type] : types) text += (text.empty() ? "" : ", ") + type;
  return text;
}

/// Two checkpoints of one shape differ in the samples; a page of each tensor is read.
std::string sampled_digest(const ModelConfig& config, const WeightFiles& files) {
  constexpr std::size_t sample = 64;
  DigestBuilder builder;
  builder.add(config.canonical_text());
  for (const auto& [name, tensor] : files.tensors()) {
    builder.add(name).add(tensor.describe());
    builder.add(tensor.bytes.first(std::min(sample, tensor.bytes.size())));
  }
  return builder.finish().hex();
}

/// "ORG/NAME" of a snapshot in Hugging Face's cache, which is named by its commit: models--ORG--NAME/snapshots/COMMIT.
/// Empty for other folders.
std::string repository_of(const fs::path& snapshot) {
  constexpr std::string_view prefix = "models--";
  const fs::path snapshots = snapshot.parent_path();
  std::string name = snapshots.parent_path().filename().string();
  if (snapshots.filename() != "snapshots" || !name.starts_with(prefix)) return {};
  name.erase(0, prefix.size());
  if (const std::size_t at = name.find("--"); at != std::string::npos) name.replace(at, 2, "/");
  return name;
}

std::string name_of(const fs::path& model) {
  if (const ShippedModel* shipped = shipped_model_at(model)) return std::string(shipped->name);
  const fs::path plain = model.filename().empty() ? model.parent_path() : model;
  if (std::string repository = repository_of(plain); !repository.empty()) return repository;
  const std::string repository = repository_of(plain.parent_path());  // of a file in a snapshot
  return (repository.empty() ? "" : repository + "/") + plain.filename().string();
}

/// In the order of opening: the reading of the window first, then that of the engine.
Status read_into(ModelFacts& facts, const fs::path& model, std::optional<ProductSet> products) {
  KV_TRY(check_model_is_there(model));
  KV_TRY(check_model_files(model));
  KV_ASSIGN(auto config, read_model_config(model));
  facts.weights.architecture = to_string(config.architecture);
  facts.weights.parameters = config.parameters();
  KV_TRY(fill_caches(facts.caches, config, config.dtype == WeightType::bf16 ? KvType::bf16 : KvType::fp32));
  KV_ASSIGN(const auto tokenizer, Tokenizer::load(model));
  facts.tokenizer = {.tokens = tokenizer->vocab_size(),
                     .prompt_form = {},
                     .chat_template = !tokenizer->chat_template().empty(),
                     .template_source = tokenizer->chat().source};
  KV_ASSIGN(const auto prompt, PromptTemplate::detect(tokenizer));
  facts.tokenizer.prompt_form = to_string(prompt.form());
  KV_ASSIGN(const auto files, WeightFiles::open(model));
  config.tied_embeddings = is_head_tied(config, files);
  facts.weights.parameters = config.parameters();
  const WeightPlan plan = plan_weights(config, files);
  facts.digest = sampled_digest(config, files);
  facts.weights.stored_as = stored_types_text(files);
  facts.weights.computed_as = to_string(plan.compute);
  facts.weights.file_bytes = files.tensor_bytes();
  facts.weights.loaded_bytes = plan.weight_bytes;
  facts.workspace_bytes =
      prefill_bytes(config, plan.compute, plan.kv_type, ModelRuntimeOptions().prefill_chunk_tokens, products);
  KV_TRY(fill_caches(facts.caches, config, plan.kv_type));
  facts.windows = windows_of(config, facts.caches);
  KV_TRY(check_tensors(config, files, model.string()));
  return check_vocabulary(model, tokenizer->vocab_size(), config);
}

bool is_hidden(const fs::path& path) { return path.filename().native().starts_with('.'); }

/// "-00001-of-00003.gguf": the parts of a split file; the first one stands for all.
bool is_later_part(const fs::path& file) {
  const std::string stem = file.stem().string();
  const std::size_t of = stem.rfind("-of-");
  if (of == std::string::npos || of < 6 || stem[of - 6] != '-') return false;
  const std::string part = stem.substr(of - 5, 5);
  return part.find_first_not_of("0123456789") == std::string::npos && part != "00001";
}

class ModelSearch {
 public:
  ModelSearch(const fs::path& root, const std::atomic<bool>& cancelled) : root_(root), cancelled_(cancelled) {}

  std::vector<FoundModel> run() {
    look_into(root_, 0);
    std::ranges::sort(found_, {}, [](const FoundModel& model) { return std::pair(model.name, model.path); });
    return std::move(found_);
  }

 private:
  static constexpr int max_depth = 6;
  static constexpr std::size_t max_entries = 50'000, max_found = 500;

  void look_into(const fs::path& folder, int depth) {
    if (cancelled_ || depth > max_depth || entries_ > max_entries || found_.size() >= max_found) return;
    std::error_code ignored;
    std::vector<fs::path> entries = entries_of(folder, ignored), folders;
    entries_ += entries.size();
    bool has_config = false, has_weights = false;
    for (const fs::path& entry : entries) {
      const std::string ending = entry.extension().string();
      if (fs::is_directory(entry, ignored)) {
        if (!is_hidden(entry) && !fs::is_symlink(entry, ignored)) folders.push_back(entry);
        continue;
      }
      has_config = has_config || entry.filename() == "config.json";
      has_weights = has_weights || ending == ".safetensors" || ending == ".bin" || ending == ".pth";
      if (ending == ".gguf" && !is_later_part(entry)) add(entry);
    }
    if (has_config && has_weights) return add(folder);  // folders in it belong to the model
    for (const fs::path& inner : folders) look_into(inner, depth + 1);
  }

  void add(const fs::path& model) {
    if (found_.size() >= max_found) return;
    std::string name = name_of(model);
    if (const fs::path below = model.lexically_relative(root_);
        name == model.filename().string() && !below.empty() && below != ".")
      name = below.string();
    found_.push_back({model.string(), std::move(name)});
  }

  const fs::path root_;
  const std::atomic<bool>& cancelled_;
  std::size_t entries_ = 0;
  std::vector<FoundModel> found_;
};

fs::path variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? fs::path(value) : fs::path();
}

class FileCatalog final : public ModelCatalog {
 public:
  explicit FileCatalog(bool batch_invariant) : batch_invariant_(batch_invariant) {}
  ModelFacts read(const std::string& path) const override { return read_model_facts(path, batch_invariant_); }
  std::vector<FoundModel> models_below(const std::string& folder, const std::atomic<bool>& cancelled) const override {
    return wiring::models_below(folder, cancelled);
  }
  std::string shared_cache() const override { return huggingface_cache().string(); }
  MemoryReading memory() const override {
    const std::uint64_t total = machine_memory_bytes();
    return {.available_bytes = std::min(available_memory_bytes(), total), .total_bytes = total};
  }

 private:
  bool batch_invariant_;
};

}  // namespace

Status check_model(const fs::path& model) {
  ModelFacts ignored;
  return read_into(ignored, model, std::nullopt);
}

ModelFacts read_model_facts(const fs::path& model, bool batch_invariant) {
  ModelFacts facts;
  const auto products = batch_invariant ? std::optional(product_set(best_isa())) : std::nullopt;
  facts.path = model.string();
  facts.name = name_of(model);
  if (const Status read = read_into(facts, model, products); !read) facts.refusal = read.error().message;
  return facts;
}

std::vector<FoundModel> models_below(const fs::path& folder, const std::atomic<bool>& cancelled) {
  return ModelSearch(folder, cancelled).run();
}

fs::path huggingface_cache() {
  fs::path folder = variable("HF_HUB_CACHE");
  if (folder.empty() && !variable("HF_HOME").empty()) folder = variable("HF_HOME") / "hub";
  if (folder.empty() && !variable("XDG_CACHE_HOME").empty()) folder = variable("XDG_CACHE_HOME") / "huggingface/hub";
  if (folder.empty() && !home_directory().empty()) folder = fs::path(home_directory()) / ".cache/huggingface/hub";
  std::error_code ignored;
  return fs::is_directory(folder, ignored) ? folder : fs::path();
}

std::shared_ptr<const ModelCatalog> make_model_catalog(bool batch_invariant) {
  return std::make_shared<FileCatalog>(batch_invariant);
}

}  // namespace kvantage::inline wiring
