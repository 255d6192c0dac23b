// Turns a path into a servable workload: a workload folder is read as is, a text file or a folder of texts is split
// into contexts, and contexts without questions get probes (core/workload/probes.h). The same path, model and options
// give the same workload, so existing profiles are found again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/workload/own_text.h"
#include "core/workload/probes.h"

namespace kvantage::inline wiring {

/// rejected_input where --model names neither a folder nor a file.
Status check_model_is_there(const std::filesystem::path& model);

/// The model properties that determine texts and questions: read from its folder without its weights.
struct ModelReading {
  CountTokens count_tokens;
  ProbeWording wording = ProbeWording::bare;  // instructed for models with a chat form
  std::size_t context_tokens = 0;   // half of the model's positions: methods that read a context twice need the rest;
                                    // for the default model its training length
  std::size_t bytes_per_token = 0;  // of an uncompressed KV cache
  std::size_t served_tokens = 0;    // of a context with its question and answer: the model's positions, or what the
                                    // block pool of live caches holds where that is less
};
/// max_model_len: LoadOptions. rejected_input for an unreadable model.
Expected<ModelReading> read_model_reading(const std::filesystem::path& model, int max_model_len = 0);

struct OpenWorkloadOptions {
  std::filesystem::path model;
  std::size_t context_tokens = 0;  // of own texts; 0: the model's (ModelReading)
  std::size_t probes = 8;          // per split, for contexts without questions; 0: none
  int max_model_len = 0;           // LoadOptions
};

struct OpenedWorkload {
  Workload workload;
  bool own_text = false;
  std::vector<std::string> notes;            // on what was generated or skipped, one sentence each
  std::vector<std::string> suggested_tiers;  // for own texts: "dram=12288KiB", sized so that not everything fits
};

/// rejected_input names the file and the fix. The model's tokenizer is read only if needed.
Expected<OpenedWorkload> open_workload(const std::filesystem::path& path, const OpenWorkloadOptions& options);

/// Memory for a tenth of the uncompressed caches and SSD for a fifth, each with room for the longest in 4-bit codes, so
/// that a policy has something to decide: {"dram=12288KiB", "ssd=24576KiB"}. rejected_input for an unreadable model.
Expected<std::vector<std::string>> default_tiers(const Workload& workload, const std::filesystem::path& model,
                                                 int max_model_len = 0);
/// "no tiers are given: --tier dram=... --tier ssd=... (...)".
std::string default_tiers_note(const std::vector<std::string>& tiers);

/// Contexts that a model cannot serve.
struct UnservedContexts {
  std::size_t count = 0;
  std::size_t longest_tokens = 0;  // of the longest text, at least
  std::size_t served_tokens = 0;   // as in ModelReading
};
/// rejected_input for an unreadable model.
Expected<UnservedContexts> unserved_contexts(const Workload& workload, const std::filesystem::path& model,
                                             int max_model_len = 0);
/// One line with what to do about them; empty: there are none.
std::string unserved_text(const UnservedContexts& unserved, std::size_t contexts);

/// The workload of a path or a sample's name, as a session with the default model would serve it.
Expected<Workload> read_any_workload(const std::filesystem::path& path);

}  // namespace kvantage::inline wiring
