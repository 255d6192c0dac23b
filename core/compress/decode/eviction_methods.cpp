#include "core/compress/decode/eviction_methods.h"

#include <algorithm>
#include <numeric>

#include "core/base/did_you_mean.h"
#include "core/base/json.h"

namespace kvantage::inline decode_eviction {
namespace {

struct Row {
  const char* name;
  const char* parameters;
  EvictionFactory make;
  bool attention;
  int cadence;
  const char* summary;
  const char* source;
};

// One row per method.
constexpr Row table[] = {
    {"streaming_llm", "sinks=4", make_streaming_llm_eviction, false, 1,
     "keeps the first tokens, drops the oldest of the others", "Xiao et al. 2023, arXiv 2309.17453"},
    {"h2o", "", make_h2o_eviction, true, 1, "drops tokens with the least attention so far, keeps the recent half",
     "Zhang et al. 2023, arXiv 2306.14048"},
    {"scissorhands", "history=400,recent=10", make_scissorhands_eviction, true, 1,
     "drops tokens that seldom got an equal share of attention",
     "Liu et al. 2023, arXiv 2305.17118 (there half the budget at a time)"},
    {"tova", "", make_tova_eviction, true, 1, "drops tokens that the newest token attends to least",
     "Oren et al. 2024, arXiv 2401.06104"},
    {"r_kv", "window=8,kernel=7,lambda=0.07", make_r_kv_eviction, false, 128,
     "drops redundant tokens with little attention", "Cai et al. 2025, arXiv 2505.24133"},
    {"triattention", "", make_triattention_eviction, false, 128, "drops keys far from the mean query before RoPE",
     "Mao et al. 2026, arXiv 2604.04921"},
    {"paged_eviction", "", make_paged_decode_eviction, false, 1,
     "drops the page of lowest mean ||v|| / ||k|| whenever one fills",
     "Chitty-Venkata et al. 2025, arXiv 2509.04377, Algorithm 3"},
    {"knorm", "keep=low", make_knorm_eviction, false, 1, "drops keys of high L2 norm (inverse key L2)",
     "Devoto et al. 2024, arXiv 2406.11430"},
    {"keydiff", "", make_keydiff_eviction, false, 1, "drops keys like the mean key",
     "Park et al. 2025, arXiv 2504.15364"},
};

}  // namespace

std::vector<EvictionInfo> known_eviction_methods() {
  std::vector<EvictionInfo> infos;
  for (const Row& row : table)
    infos.push_back({row.name, row.parameters, row.summary, row.source, row.attention, row.cadence});
  return infos;
}

Expected<std::unique_ptr<DecodeEviction>> make_eviction(std::string_view text, const EvictionSetting& setting) {
  KV_ASSIGN(auto parts, read_method_text(text));
  if (parts.name == "inverse_key_norm") parts.name = "knorm";  // its name in PagedEviction
  std::vector<std::string_view> names;
  for (const Row& row : table) {
    names.emplace_back(row.name);
    if (parts.name != row.name) continue;
    KV_ASSIGN(const auto parameters, Parameters::resolve(parts, row.parameters));
    return row.make(parameters, setting);
  }
  return fail(ErrorCode::usage, "eviction method '" + parts.name + "': unknown; " + did_you_mean(parts.name, names));
}

KeptIndices lowest_rows(const std::vector<std::vector<float>>& scores, int count, int recent, bool shared) {
  const auto lowest = [&](const std::vector<float>& row_scores) {
    const auto may_go = row_scores.size() - std::min(row_scores.size(), static_cast<std::size_t>(recent));
    std::vector<std::int32_t> rows(may_go);
    std::iota(rows.begin(), rows.end(), 0);
    const auto wanted = std::min(static_cast<std::size_t>(count), rows.size());
    const auto goes_first = [&](std::int32_t a, std::int32_t b) {
      const float x = row_scores[static_cast<std::size_t>(a)], y = row_scores[static_cast<std::size_t>(b)];
      return x != y ? x < y : a < b;
    };
    std::ranges::partial_sort(rows, rows.begin() + static_cast<std::ptrdiff_t>(wanted), goes_first);
    rows.resize(wanted);
    std::ranges::sort(rows);
    return rows;
  };
  KeptIndices victims;
  if (!shared) {
    for (const auto& head : scores) victims.push_back(lowest(head));
    return victims;
  }
  std::vector<float> sum(scores.front().size(), 0.0F);
  for (const auto& head : scores)
    for (std::size_t t = 0; t < sum.size(); ++t) sum[t] += head[t];
  return KeptIndices(scores.size(), lowest(sum));
}

}  // namespace kvantage::inline decode_eviction
