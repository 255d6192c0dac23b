#include "profiles/profile_file.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "core/base/files.h"
#include "core/policy/types_json.h"

namespace kvantage {

template <>
struct JsonFields<ProfileScope> {
  static constexpr auto list =
      std::tuple(json_member("model", &ProfileScope::model), json_member("workload", &ProfileScope::workload),
                 json_member("quality_metric", &ProfileScope::quality_metric));
};

template <>
struct JsonFields<ProfileCell> {
  static constexpr auto list =
      std::tuple(json_member("context", &ProfileCell::context), json_member("context_id", &ProfileCell::context_id),
                 json_member("family", &ProfileCell::family), json_member("point", &ProfileCell::point),
                 json_member("scores", &ProfileCell::scores));
};

}  // namespace kvantage

namespace kvantage::inline profiles {

namespace {

constexpr const char* format_name = "kvantage-profile";
constexpr int format_version = 1;

auto cell_key(const ProfileCell& cell) {
  return std::tie(cell.context, cell.point.method, cell.point.removed_fraction);
}
auto cell_order(const ProfileCell& cell) { return std::tuple_cat(std::tie(cell.context_id), cell_key(cell)); }

using OwnedKey = std::tuple<Digest128, std::string, double>;

Status check_cell(const ProfileCell& cell, const std::string& name) {
  const ProfilePoint& point = cell.point;
  const auto reject = [&](const std::string& reason) {
    return fail(ErrorCode::rejected_input, name + ": " + reason + "; correct its value");
  };
  // Quality is a score of 0 to 1; an interval may exceed that range, depending on its method (a t-interval does).
  const auto within = [](double value) { return std::isfinite(value) && value >= 0 && value <= 1; };
  if (!within(point.removed_fraction)) return reject("removed_fraction is not within 0 and 1");
  if (!within(point.quality)) return reject("quality is not within 0 and 1");
  if (!std::isfinite(point.quality_low) || !std::isfinite(point.quality_high) || point.quality_low > point.quality_high)
    return reject("quality_low and quality_high are not an interval");
  if (point.method.empty()) return reject("method is empty");
  if (point.n < 1) return reject("n is below 1");
  if (point.kept_tokens < 0) return reject("kept_tokens is negative");
  if (point.bytes > 1ULL << 62) return reject("bytes is out of range");
  if (!cell.scores.empty() && std::cmp_not_equal(cell.scores.size(), point.n))
    return reject("n is " + std::to_string(point.n) + " but there are " + std::to_string(cell.scores.size()) +
                  " scores");
  if (!std::ranges::all_of(cell.scores, within)) return reject("a score is not within 0 and 1");
  return {};
}

}  // namespace

std::string profile_to_text(const ProfileFile& file) {
  std::vector<const ProfileCell*> order;
  for (const ProfileCell& cell : file.cells) order.push_back(&cell);
  std::ranges::sort(order, [](const ProfileCell* a, const ProfileCell* b) { return cell_order(*a) < cell_order(*b); });
  std::string text = "{\"format\":\"" + std::string(format_name) + "\",\"version\":" + std::to_string(format_version) +
                     ",\n\"scope\":" + dump_json(json_from(file.scope)) + ",\n\"cells\":[";
  for (std::size_t i = 0; i < order.size(); ++i) text += (i == 0 ? "\n" : ",\n") + dump_json(json_from(*order[i]));
  return text + "\n]}\n";
}

Expected<ProfileFile> profile_from_text(const std::string& text, const std::string& name) {
  KV_ASSIGN(auto json, parse_json(text, name));
  KV_TRY(refuse_unknown_fields(json, {"format", "version", "scope", "cells"}, name));
  auto format = json_field<Json>(json, "format", name);
  if (!format || *format != format_name)
    return fail(ErrorCode::rejected_input, name + ": is not a profile (field 'format' is not \"" +
                                               std::string(format_name) +
                                               "\"); give a file made by 'profile --export'");
  KV_ASSIGN(auto version, json_field<Json>(json, "version", name));
  if (version != format_version)
    return fail(ErrorCode::rejected_input, name + ": has version " + dump_json(version) + ", supported is " +
                                               std::to_string(format_version) + "; use the program that wrote it");
  ProfileFile file;
  KV_ASSIGN(auto scope, json_field<Json>(json, "scope", name));
  KV_TRY(json_into(scope, file.scope, name + ": scope"));
  KV_ASSIGN(auto cells, json_field<Json>(json, "cells", name));
  KV_TRY(json_into(cells, file.cells, name + ": cells"));
  std::set<OwnedKey> seen;
  for (std::size_t i = 0; i < file.cells.size(); ++i) {
    const std::string cell_name = name + ": cells[" + std::to_string(i) + "]";
    KV_TRY(check_cell(file.cells[i], cell_name));
    if (!seen.insert(cell_key(file.cells[i])).second)
      return fail(ErrorCode::rejected_input,
                  cell_name + ": the same context, method and removed_fraction appear twice; remove one");
  }
  return file;
}

Expected<std::size_t> import_profile(ProfileStore& store, const std::filesystem::path& path,
                                     const Digest128& workload) {
  KV_ASSIGN(auto text, read_text_file(path));
  KV_ASSIGN(auto file, profile_from_text(text, path.string()));
  if (file.scope.workload != workload) return 0;
  KV_ASSIGN(auto present, store.load_profiles(file.scope));
  std::set<OwnedKey> known;
  for (const ProfileCell& cell : present) known.insert(cell_key(cell));
  std::erase_if(file.cells, [&](const ProfileCell& cell) { return known.contains(cell_key(cell)); });
  if (file.cells.empty()) return 0;
  KV_TRY(store.save_profile(file.scope, file.cells));
  return file.cells.size();
}

Expected<std::size_t> export_profile(ProfileStore& store, const ProfileScope& scope,
                                     const std::filesystem::path& path) {
  KV_ASSIGN(auto cells, store.load_profiles(scope));
  if (cells.empty())
    return fail(ErrorCode::not_found, "profile of model " + scope.model.hex() + ", workload " + scope.workload.hex() +
                                          ", " + scope.quality_metric +
                                          ": nothing is stored; measure it with 'profile'");
  KV_TRY(write_text_file(path, profile_to_text({scope, cells})));
  return cells.size();
}

}  // namespace kvantage::inline profiles
