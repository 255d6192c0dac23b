// JSON forms of policy inputs and outputs, used by events, journals and recorded snapshots.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/json_fields.h"
#include "core/policy/types.h"

namespace kvantage {

template <>
struct JsonNames<ActionKind> {
  static constexpr std::array<std::pair<ActionKind, std::string_view>, 5> list{{{ActionKind::store, "store"},
                                                                                {ActionKind::compress, "compress"},
                                                                                {ActionKind::demote, "demote"},
                                                                                {ActionKind::promote, "promote"},
                                                                                {ActionKind::evict, "evict"}}};
};

template <>
struct JsonNames<QualityBound> {
  static constexpr std::array<std::pair<QualityBound, std::string_view>, 2> list{
      {{QualityBound::mean, "mean"}, {QualityBound::lower, "lower"}}};
};

template <>
struct JsonFields<Configuration> {
  static constexpr auto list =
      std::tuple(json_member("tier", &Configuration::tier), json_member("method", &Configuration::method),
                 json_member("removed_fraction", &Configuration::removed_fraction));
};

template <>
struct JsonFields<TierModel> {
  static constexpr auto list = std::tuple(json_member("latency_seconds", &TierModel::latency_seconds),
                                          json_member("bytes_per_second", &TierModel::bytes_per_second),
                                          json_member("decode_seconds_per_token", &TierModel::decode_seconds_per_token),
                                          json_member("residual_seconds", &TierModel::residual_seconds));
};

template <>
struct JsonFields<ProfilePoint> {
  static constexpr auto list = std::tuple(
      json_member("method", &ProfilePoint::method), json_member("removed_fraction", &ProfilePoint::removed_fraction),
      json_member("quality", &ProfilePoint::quality), json_member("quality_low", &ProfilePoint::quality_low),
      json_member("quality_high", &ProfilePoint::quality_high), json_member("n", &ProfilePoint::n),
      json_member("bytes", &ProfilePoint::bytes), json_member("kept_tokens", &ProfilePoint::kept_tokens),
      json_added("expected_quality", &ProfilePoint::expected_quality),
      json_added("expected_low", &ProfilePoint::expected_low));
};

template <>
struct JsonFields<ProfileChance> {
  static constexpr auto list =
      std::tuple(json_member("mean", &ProfileChance::mean), json_member("low", &ProfileChance::low),
                 json_member("high", &ProfileChance::high), json_member("n", &ProfileChance::n));
};

template <>
struct JsonFields<DecodeOption> {
  static constexpr auto list = std::tuple(
      json_member("option", &DecodeOption::option), json_member("quality", &DecodeOption::quality),
      json_member("quality_low", &DecodeOption::quality_low), json_member("quality_high", &DecodeOption::quality_high),
      json_member("n", &DecodeOption::n), json_member("inter_token_seconds", &DecodeOption::inter_token_seconds),
      json_member("gaps_per_answer", &DecodeOption::gaps_per_answer),
      json_added("expected_quality", &DecodeOption::expected_quality));
};

// Options are written only where some were profiled: other journals stay as they were.
struct ContextProfileFile {
  std::vector<ProfilePoint> points;
  ProfileChance chance = {};
  std::optional<std::vector<DecodeOption>> decode_options = {};
};

template <>
struct JsonFields<ContextProfileFile> {
  static constexpr auto list =
      std::tuple(json_member("points", &ContextProfileFile::points), json_added("chance", &ContextProfileFile::chance),
                 json_added("decode_options", &ContextProfileFile::decode_options));
};

template <>
struct JsonProxy<ContextProfile> {
  using File = ContextProfileFile;
  static File to_file(const ContextProfile& profile) {
    File file{profile.points, profile.chance, {}};
    if (!profile.decode_options.empty()) file.decode_options = profile.decode_options;
    return file;
  }
  static Expected<ContextProfile> from_file(const File& file, const std::string& /*name*/) {
    return ContextProfile{file.points, file.chance, file.decode_options.value_or(std::vector<DecodeOption>{})};
  }
};

template <>
struct JsonFields<PlacementAction> {
  static constexpr auto list = std::tuple(
      json_member("context", &PlacementAction::context), json_member("kind", &PlacementAction::kind),
      json_member("from", &PlacementAction::from), json_member("to", &PlacementAction::to),
      json_member("bytes_before", &PlacementAction::bytes_before),
      json_member("bytes_after", &PlacementAction::bytes_after),
      json_member("utility_drop", &PlacementAction::utility_drop), json_member("reason", &PlacementAction::reason));
};

}  // namespace kvantage
