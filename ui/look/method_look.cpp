#include "ui/look/method_look.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/form_text.h"
#include "ui/look/provenance_look.h"
#include "ui/look/theme.h"

namespace kvantage {
namespace {

constexpr std::size_t hues = 8, plain_dashes = 5, other_dashes = 3;  // of scorers and codecs; of all other forms

// Scorers, codecs and decode-time methods. The place is the look: a new one comes at the end.
constexpr std::array<std::string_view, 38> places{"snapkv",
                                                  "knorm",
                                                  "keydiff",
                                                  "kivi4",
                                                  "kivi2",
                                                  "fp8",
                                                  "random",
                                                  "streaming_llm",
                                                  "tova",
                                                  "observed_attention",
                                                  "h2o",
                                                  "scissorhands",
                                                  "expected_attention",
                                                  "kvzip",
                                                  "kvzip_plus",
                                                  "finch",
                                                  "simlayerkv",
                                                  "duo_attention",
                                                  "lagkv",
                                                  "r_kv",
                                                  "triattention",
                                                  "paged_eviction",
                                                  "cur",
                                                  "leverage",
                                                  "non_causal_attention",
                                                  "compactor",
                                                  "capkv",
                                                  "qfilter",
                                                  "kvzap",
                                                  "fastkvzip",
                                                  "kivi8",
                                                  "cachegen",
                                                  "think",
                                                  "layer_inputs",
                                                  "token_chunks",
                                                  "zstd",
                                                  "quest",
                                                  "bf16"};
static_assert(places.size() <= hues * plain_dashes);

// Budgets and wrappers, by their strokes.
constexpr std::array<std::string_view, 15> around{"adakv",           "pyramid",       "chunkkv", "global",  "absolute",
                                                  "entropy_chunkkv", "per_layer",     "dms",     "impress", "uniform",
                                                  "criticalkv",      "criticaladakv", "chunk",   "block",   "rerotate"};

// Codecs after a scorer, from the weakest shade to the strongest.
constexpr std::array<std::string_view, 9> shaded{"kivi8",        "zstd", "cachegen", "layer_inputs", "kivi4",
                                                 "token_chunks", "fp8",  "think",    "kivi2"};
constexpr double first_shade = 0.1, step_of_shades = 0.05;

template <std::size_t size>
std::optional<std::size_t> place_in(const std::array<std::string_view, size>& names, std::string_view name) {
  const auto* found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - names.begin()));
}

std::size_t stable_hash(std::string_view text) {
  std::size_t hash = 1469598103934665603u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

/// The scorer inside of budgets and wrappers, with its parameters; and the outermost of these.
struct Unwrapped {
  std::string_view scorer;
  std::optional<std::size_t> around;
};

Unwrapped unwrap(std::string_view text) {
  Unwrapped found{trimmed(text), std::nullopt};
  for (;;) {
    const auto place = place_in(around, FormText::name_of(found.scorer));
    const auto form = FormText::read(found.scorer, "method");
    if (!place || !form || form->arguments().empty()) return found;
    if (!found.around) found.around = place;
    found.scorer = trimmed(form->arguments().front().value);
  }
}

double shade_of(std::string_view codec) {
  const std::size_t place = place_in(shaded, FormText::name_of(codec)).value_or(stable_hash(codec) % shaded.size());
  return first_shade + step_of_shades * static_cast<double>(place);
}

}  // namespace

MethodLook method_look(const QString& text_form) {
  const std::string text = text_form.toStdString();
  if (text == "none") return {};
  const auto parts = split_outside_parentheses(text, '+');
  const Unwrapped inner = unwrap(parts.front());
  const std::string_view name = FormText::name_of(inner.scorer);
  const auto place = place_in(places, name);
  MethodLook look;
  const std::size_t number = place.value_or(stable_hash(name));
  look.hue = number % hues;
  if (parts.size() > 1) look.shade = shade_of(trimmed(parts[1]));
  if (place && !inner.around && name == inner.scorer) {
    look.dashes = *place / hues;
    look.strokes = series_strokes(look.dashes);
    return look;
  }
  look.dashes = plain_dashes + number / hues % other_dashes;
  look.strokes = series_strokes(plain_dashes + inner.around.value_or(stable_hash(inner.scorer) % around.size()));
  return look;
}

QList<qreal> method_dashes(const QString& text_form) { return line_dashes(method_look(text_form).dashes); }

unsigned method_strokes(const QString& text_form) { return method_look(text_form).strokes; }

Qt::BrushStyle method_pattern(const QString& text_form) {
  constexpr std::array patterns{Qt::SolidPattern, Qt::BDiagPattern,     Qt::HorPattern,   Qt::FDiagPattern,
                                Qt::VerPattern,   Qt::DiagCrossPattern, Qt::CrossPattern, Qt::Dense5Pattern};
  return patterns[method_look(text_form).dashes % patterns.size()];
}

}  // namespace kvantage
