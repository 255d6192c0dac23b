// Facts of a model without its weights: the readers that open it for a session, and the same refusals.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/ports/model_catalog.h"

namespace kvantage::inline wiring {

/// rejected_input, in one line, where opening the model would fail for its files: configuration, tokenizer, headers of
/// the weights. Only the weights' bytes (see is_head_tied) and the free memory are not looked at.
Status check_model(const std::filesystem::path& model);

/// Up to a refusal, what could be read. batch_invariant: the workspace is that of a session with such products
/// (ServingSettings::products), otherwise of libtorch's.
ModelFacts read_model_facts(const std::filesystem::path& model, bool batch_invariant = false);

/// Folders with a config.json beside weights, and GGUF files (the first part of a split one), by name. Hidden folders,
/// links to folders and what is deeper than 6 folders are left out.
std::vector<FoundModel> models_below(const std::filesystem::path& folder, const std::atomic<bool>& cancelled);

/// $HF_HUB_CACHE, $HF_HOME/hub, $XDG_CACHE_HOME/huggingface/hub or ~/.cache/huggingface/hub, as huggingface_hub looks
/// for it; empty where it is no folder.
std::filesystem::path huggingface_cache();

/// Reads files of this machine; batch_invariant as of read_model_facts().
std::shared_ptr<const ModelCatalog> make_model_catalog(bool batch_invariant = false);

}  // namespace kvantage::inline wiring
