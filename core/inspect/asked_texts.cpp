#include "core/inspect/asked_texts.h"

#include <algorithm>
#include <cstdint>

namespace kvantage::inline inspection {
namespace {

std::size_t bytes_of(const LayerScores& scores) {
  std::size_t bytes = 0;
  for (const std::vector<LayerScores::Head>& layer : scores.layers)
    for (const LayerScores::Head& head : layer)
      bytes += head.scores.size() * sizeof(float) + head.ranks.size() * sizeof(std::int32_t);
  return bytes;
}

}  // namespace

void ComputedText::begin_question(const std::vector<AskForm>& columns) {
  const auto has_form = [&columns](const std::pair<std::string, double>& key) {
    return std::ranges::any_of(columns, [&key](const AskForm& one) {
      return one.column.method == key.first && one.column.removed_fraction == key.second;
    });
  };
  const auto has_method = [&columns](const std::string& method) {
    return std::ranges::any_of(columns, [&method](const AskForm& one) { return one.column.method == method; });
  };
  std::erase_if(forms, [&](const auto& one) { return !one.second.stored || !has_form(one.first); });
  std::erase_if(scored, [&](const auto& one) { return !scored_by(one.first) || !has_method(one.first); });
  for (auto& [key, form] : forms) {
    form.reused = true;
    form.seconds = 0;
  }
  for (auto& [method, scores] : scored) scores.seconds = 0;
  reused = complete;
  prefill_seconds = 0;
}

bool ComputedText::scored_by(const std::string& method) const {
  const auto found = scored.find(method);
  return found != scored.end() &&
         found->second.scores.layers.size() == static_cast<std::size_t>(original.shape().layers);
}

const ComputedText::Form* ComputedText::form_of(const AskColumn& column) const {
  const auto found = forms.find({column.method, column.removed_fraction});
  return found != forms.end() && found->second.stored ? &found->second : nullptr;
}

std::size_t ComputedText::held_bytes(bool with_original) const {
  std::size_t bytes = with_original ? original.held_bytes() + observed.bytes() : 0;
  for (const auto& [method, one] : scored) bytes += bytes_of(one.scores);
  for (const auto& [key, form] : forms)
    for (const std::optional<KvCache>* cache : {&form.stored, &form.read})
      if (*cache) bytes += (*cache)->held_bytes();
  return bytes;
}

void ComputedText::leave_device() {
  if (original.device_rows() != nullptr) original.set_own_device_rows(nullptr);
  for (auto& [key, form] : forms)
    for (std::optional<KvCache>* cache : {&form.stored, &form.read})
      if (*cache && (*cache)->device_rows() != nullptr) (*cache)->set_own_device_rows(nullptr);
}

std::shared_ptr<ComputedText> AskedTexts::use(const Digest128& key) {
  // Half an original is as good as none: its prefill has ended with its question.
  std::erase_if(texts_, [](const Kept& kept) { return !kept.text->complete; });
  const auto found = std::ranges::find(texts_, key, &Kept::key);
  Kept used{key, found != texts_.end() ? found->text : std::make_shared<ComputedText>(pool_)};
  if (found != texts_.end()) texts_.erase(found);
  texts_.push_back(used);
  if (texts_.size() > max_texts) texts_.erase(texts_.begin());
  return used.text;
}

std::size_t AskedTexts::held_bytes(const ComputedText* in_use) const {
  std::size_t bytes = 0;
  for (const Kept& kept : texts_) bytes += kept.text->held_bytes(kept.text.get() != in_use);
  return bytes;
}

void AskedTexts::shrink(std::size_t max_bytes, const ComputedText* in_use) {
  while (held_bytes(in_use) > max_bytes) {
    const auto oldest = std::ranges::find_if(texts_, [&](const Kept& kept) { return kept.text.get() != in_use; });
    if (oldest != texts_.end()) {
      texts_.erase(oldest);
      continue;
    }
    // Only the text of the question in flight is left.
    ComputedText& text = *texts_.back().text;
    if (text.forms.empty()) return;
    text.forms.erase(text.forms.begin());
  }
}

void AskedTexts::leave_device() {
  for (const Kept& kept : texts_) kept.text->leave_device();
}

}  // namespace kvantage::inline inspection
