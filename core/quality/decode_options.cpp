#include "core/quality/decode_options.h"

#include <algorithm>
#include <utility>

#include "core/policy/types_json.h"

namespace kvantage::inline quality {
namespace {

/// As stored.
struct StoredOptions {
  int version = 0;
  std::vector<DecodeOption> options;
};
constexpr int stored_version = 1;

std::string options_key(const ProfileScope& scope, const Digest128& context) {
  return "decode_options/" + scope.quality_metric + "/" + scope.model.hex() + "/" + scope.workload.hex() + "/" +
         context.hex();
}

ProfilePoint pooled_point(const DecodeOption& option) {
  ProfilePoint point;
  point.method = option.option;
  point.quality = option.quality;
  point.n = option.n;
  return point;
}

}  // namespace
}  // namespace kvantage::inline quality

namespace kvantage {

template <>
struct JsonFields<StoredOptions> {
  static constexpr auto list =
      std::tuple(json_member("version", &StoredOptions::version), json_member("options", &StoredOptions::options));
};

}  // namespace kvantage

namespace kvantage::inline quality {

Status DecodeOptions::load(const ProfileScope& scope, ProfileStore& store) {
  forget();
  for (std::size_t c = 0; c < services_.catalog.size(); ++c) {
    KV_ASSIGN(const auto value, store.load_value(options_key(scope, services_.catalog.facts(c).key)));
    StoredOptions stored;
    if (value && json_into(*value, stored, "decode options") && stored.version == stored_version)
      measured_[c] = std::move(stored.options);
  }
  return {};
}

Status DecodeOptions::save(const ProfileScope& scope, ProfileStore& store, std::size_t context) const {
  const auto found = measured_.find(context);
  if (found == measured_.end()) return {};
  // Expected quality follows from all contexts, and is not stored.
  StoredOptions stored{stored_version, found->second};
  for (DecodeOption& option : stored.options) option.expected_quality = -1;
  return store.save_value(options_key(scope, services_.catalog.facts(context).key), json_from(stored));
}

const DecodeOption* DecodeOptions::find(std::size_t context, const std::string& option) const {
  const auto measured = measured_.find(context);
  if (measured == measured_.end()) return nullptr;
  const auto found = std::ranges::find(measured->second, option, &DecodeOption::option);
  return found == measured->second.end() ? nullptr : &*found;
}

std::vector<std::string> DecodeOptions::missing(std::size_t context) const {
  std::vector<std::string> options;
  for (const std::string& option : wanted_)
    if (find(context, option) == nullptr) options.push_back(option);
  if (!options.empty() || (!wanted_.empty() && find(context, "none") == nullptr))
    options.insert(options.begin(), "none");
  return options;
}

void DecodeOptions::replace(std::size_t context, std::vector<DecodeOption> measured) {
  std::vector<DecodeOption>& kept = measured_[context];
  for (DecodeOption& option : measured) {
    std::erase_if(kept, [&](const DecodeOption& old) { return old.option == option.option; });
    kept.push_back(std::move(option));
  }
}

void DecodeOptions::pool() {
  pool_ = {};
  for (const auto& [context, options] : measured_)
    for (const DecodeOption& option : options) pool_.add(services_.catalog.facts(context).family, pooled_point(option));
}

std::vector<DecodeOption> DecodeOptions::of(std::size_t context) const {
  std::vector<DecodeOption> options;
  if (wanted_.empty()) return options;
  const auto add = [&](const std::string& text) {
    const DecodeOption* found = find(context, text);
    if (found == nullptr) return;
    options.push_back(*found);
    options.back().expected_quality = pool_.expected(services_.catalog.facts(context).family, pooled_point(*found));
  };
  add("none");
  for (const std::string& option : wanted_) add(option);
  return options;
}

}  // namespace kvantage::inline quality
