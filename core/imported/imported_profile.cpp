#include "core/imported/imported_profile.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/base/duration.h"
#include "core/base/json_fields.h"

namespace kvantage {

template <>
struct JsonFields<ImportedSource> {
  static constexpr auto list =
      std::tuple(json_member("file", &ImportedSource::file), json_member("digest", &ImportedSource::digest),
                 json_member("date", &ImportedSource::date), json_member("kind", &ImportedSource::kind),
                 json_added("scale", &ImportedSource::scale));
};

template <>
struct JsonFields<ImportedPoint> {
  static constexpr auto list = std::tuple(
      json_member("dataset", &ImportedPoint::dataset), json_member("method", &ImportedPoint::method),
      json_member("removed_fraction", &ImportedPoint::removed_fraction),
      json_member("quality", &ImportedPoint::quality), json_added("quality_low", &ImportedPoint::quality_low),
      json_added("quality_high", &ImportedPoint::quality_high), json_added("kept_bytes", &ImportedPoint::kept_bytes),
      json_added("n", &ImportedPoint::n));
};

}  // namespace kvantage

namespace kvantage::inline imported {
namespace {

constexpr const char* imported_format = "kvantage-imported-profile";
constexpr int imported_version = 1;

auto form_of(const ImportedPoint& point) { return std::tie(point.dataset, point.method, point.removed_fraction); }

std::string point_name(const ImportedPoint& point) {
  return printable(point.dataset) + ", " + printable(point.method) + ", " + dump_json(Json(point.removed_fraction)) +
         " removed";
}

Status check_point(const ImportedPoint& point, const std::string& name) {
  const auto refuse = [&](const std::string& what) {
    return fail(ErrorCode::rejected_input, name + ": " + point_name(point) + ": " + what);
  };
  const auto within = [](double value) { return std::isfinite(value) && value >= 0 && value <= 1; };
  constexpr std::size_t longest_name = 300;
  if (point.dataset.empty() || point.dataset.size() > longest_name)
    return refuse("the name of the data set is empty or too long; give one of at most 300 characters");
  if (point.method.empty() || point.method.size() > longest_name)
    return refuse("the method is empty or too long; give one of at most 300 characters");
  if (!within(point.removed_fraction) || point.removed_fraction >= 1)
    return refuse("the removed fraction is not from 0 up to but not including 1; correct it, or map kept instead");
  if (!within(point.quality)) return refuse("quality is not within 0 and 1; correct it, or give its scale");
  if (point.quality_low.has_value() != point.quality_high.has_value())
    return refuse("the interval has one end; give quality_low and quality_high, or neither");
  if (point.quality_low && !(std::isfinite(*point.quality_low) && std::isfinite(*point.quality_high) &&
                             *point.quality_low <= *point.quality_high))
    return refuse("quality_low and quality_high are not an interval; correct them");
  if (point.kept_bytes && !(within(*point.kept_bytes) && *point.kept_bytes > 0))
    return refuse("kept_bytes is not above 0 and at most 1; correct it");
  if (point.n && *point.n < 1) return refuse("n is below 1; correct it");
  return {};
}

}  // namespace

Status check_imported(ImportedProfile& profile, const std::string& name) {
  if (profile.points.empty())
    return fail(ErrorCode::rejected_input, name + ": has no quality of any form; give a file with rows");
  if (profile.points.size() > max_imported_points)
    return fail(ErrorCode::rejected_input, name + ": has more than " + std::to_string(max_imported_points) +
                                               " forms; give fewer data sets at a time");
  for (const ImportedPoint& point : profile.points) KV_TRY(check_point(point, name));
  std::ranges::sort(profile.points, [](const auto& a, const auto& b) { return form_of(a) < form_of(b); });
  const auto twice =
      std::ranges::adjacent_find(profile.points, [](const auto& a, const auto& b) { return form_of(a) == form_of(b); });
  if (twice != profile.points.end())
    return fail(ErrorCode::rejected_input, name + ": " + point_name(*twice) + " is given twice; keep one of them");
  return {};
}

std::string imported_to_text(const ImportedProfile& profile) {
  std::string text = "{\"format\":\"" + std::string(imported_format) +
                     "\",\"version\":" + std::to_string(imported_version) + ",\"provenance\":\"imported\",\n" +
                     "\"source\":" + dump_json(json_from(profile.source)) +
                     ",\n\"model\":" + dump_json(json_from(profile.model)) + ",\n\"points\":[";
  for (std::size_t i = 0; i < profile.points.size(); ++i)
    text += (i == 0 ? "\n" : ",\n") + dump_json(json_from(profile.points[i]));
  return text + "\n]}\n";
}

bool is_imported_text(const std::string& text) {
  constexpr std::size_t head = 200;  // its first line
  return text.substr(0, head).find('"' + std::string(imported_format) + '"') != std::string::npos;
}

Expected<ImportedProfile> imported_from_text(const std::string& text, const std::string& name) {
  KV_ASSIGN(const auto json, parse_json(text, name));
  KV_TRY(refuse_unknown_fields(json, {"format", "version", "provenance", "source", "model", "points"}, name));
  KV_ASSIGN(const auto format, json_field<std::string>(json, "format", name));
  KV_ASSIGN(const auto version, json_field<Json>(json, "version", name));
  if (format != imported_format || version != imported_version)
    return fail(ErrorCode::rejected_input,
                name + ": is no imported profile of version 1; give a file made by 'profiles import --out'");
  ImportedProfile profile;
  KV_ASSIGN(const auto source, json_field<Json>(json, "source", name));
  KV_TRY(json_into(source, profile.source, name + ": source"));
  if (!(std::isfinite(profile.source.scale) && profile.source.scale > 0))
    return fail(ErrorCode::rejected_input, name + ": source: scale is not above 0; correct it");
  KV_ASSIGN(profile.model, json_field<std::string>(json, "model", name));
  KV_TRY(check_length(json, "points", max_imported_points, name));
  KV_ASSIGN(const auto points, json_field<Json>(json, "points", name));
  KV_TRY(json_into(points, profile.points, name + ": points"));
  KV_TRY(check_imported(profile, name));
  return profile;
}

std::string source_text(const ImportedSource& source) {
  constexpr std::size_t shown = 8;  // digits
  return "imported from " + printable(source.file) + " (digest " + source.digest.substr(0, shown) +
         (source.date.empty() ? "" : ", " + source.date) +
         (source.scale == 1 ? "" : "; quality divided by " + shortest_number(source.scale)) + ")";
}

}  // namespace kvantage::inline imported
