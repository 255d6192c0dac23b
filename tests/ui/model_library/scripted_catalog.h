// A catalog of models without files: facts, folders and free memory as a test says, and what was read in which order.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/ports/model_catalog.h"

namespace kvantage {

/// Facts of Qwen2.5-0.5B in bf16, by hand (tests/fits/model_memory_test.cpp).
inline ModelFacts qwen_facts(const std::string& path, const std::string& name) {
  ModelFacts facts;
  facts.path = path;
  facts.name = name;
  facts.digest = "digest of " + name;
  facts.weights = {.architecture = "Qwen2ForCausalLM",
                   .parameters = 494'032'768,
                   .stored_as = "BF16",
                   .computed_as = "bf16",
                   .file_bytes = 988'065'536,
                   .loaded_bytes = 988'065'536};
  facts.caches = {.layers = 24,
                  .kv_heads = 2,
                  .head_dim = 64,
                  .type = "bf16",
                  .bytes_per_token = 12'288,
                  .pool_bytes_per_token = 12'480,
                  .pool_limit_bytes = std::uint64_t{2} << 30,
                  .kivi4_bytes_per_token = 3972,
                  .kivi4_tokens = 4096,
                  .max_positions = 32'768};
  facts.tokenizer = {.tokens = 151'665, .prompt_form = "chatml", .chat_template = true};
  facts.workspace_bytes = 14'566'912;
  return facts;
}

/// A model of 10 MiB.
inline ModelFacts small_facts(const std::string& path, const std::string& name) {
  ModelFacts facts = qwen_facts(path, name);
  facts.weights.file_bytes = facts.weights.loaded_bytes = std::uint64_t{10} << 20;
  facts.workspace_bytes = 0;
  return facts;
}

class ScriptedCatalog final : public ModelCatalog {
 public:
  void put(const ModelFacts& facts) {
    const std::lock_guard lock(mutex_);
    models_[facts.path] = facts;
  }
  void put_folder(const std::string& folder, std::vector<FoundModel> models) {
    const std::lock_guard lock(mutex_);
    folders_[folder] = std::move(models);
  }
  void set_cache(const std::string& folder) {
    const std::lock_guard lock(mutex_);
    cache_ = folder;
  }
  void set_memory(const MemoryReading& memory) {
    const std::lock_guard lock(mutex_);
    memory_ = memory;
  }
  std::vector<std::string> reads() const {
    const std::lock_guard lock(mutex_);
    return reads_;
  }

  ModelFacts read(const std::string& path) const override {
    const std::lock_guard lock(mutex_);
    reads_.push_back(path);
    if (const auto found = models_.find(path); found != models_.end()) return found->second;
    ModelFacts unknown;
    unknown.path = path;
    unknown.refusal = path + ": no config.json; give a Hugging Face folder, which has one, or a GGUF file";
    return unknown;
  }
  std::vector<FoundModel> models_below(const std::string& folder, const std::atomic<bool>&) const override {
    const std::lock_guard lock(mutex_);
    const auto found = folders_.find(folder);
    return found == folders_.end() ? std::vector<FoundModel>() : found->second;
  }
  std::string shared_cache() const override {
    const std::lock_guard lock(mutex_);
    return cache_;
  }
  MemoryReading memory() const override {
    const std::lock_guard lock(mutex_);
    return memory_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::string> reads_;
  std::map<std::string, ModelFacts> models_;
  std::map<std::string, std::vector<FoundModel>> folders_;
  std::string cache_;
  MemoryReading memory_{std::uint64_t{2} << 30, std::uint64_t{8} << 30};
};

}  // namespace kvantage
