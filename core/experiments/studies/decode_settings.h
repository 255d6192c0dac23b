// Options that figures of eviction while decoding share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/experiments/paper_figures.h"

namespace kvantage::inline studies {

inline constexpr const char* four_methods = "paged_eviction,streaming_llm,knorm,keydiff";

/// Of answers about ledgers.
std::vector<FigureSetting> decode_settings(const std::string& budgets, const std::string& pages,
                                           const std::string& eviction_methods);
/// Inserts how many requests are side by side at most, where the batch is the same for all.
std::vector<FigureSetting> with_batch(std::vector<FigureSetting> settings, const char* batch);
/// A short ledger, in one block where it is timed.
std::vector<std::pair<std::string, std::string>> quick_answers(bool timed);
/// The same, timed with two requests side by side.
std::vector<std::pair<std::string, std::string>> quick_batch();
/// Options that they read besides, rarely needed.
const std::vector<std::string>& options_of_decoding();

/// Of requests side by side on a model of random weights.
std::vector<FigureSetting> throughput_settings(const char* budgets, const char* requests, const char* prompt,
                                               const char* output);

FigureSetting blocks_setting(const char* blocks);
std::vector<FigureSetting> with_blocks(std::vector<FigureSetting> settings, const char* blocks = "3");

}  // namespace kvantage::inline studies
