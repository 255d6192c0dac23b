#include "ui/live/contexts/imported/model/imported_curves.h"

#include <QFileInfo>
#include <algorithm>
#include <map>

#include "ui/text/words.h"

namespace kvantage {

void ImportedCurves::add(ImportedProfile profile, const KeptImport& kept) {
  const auto same = std::ranges::find_if(imports_, [&](const Import& one) {
    return one.profile.source.digest == profile.source.digest && one.profile.points == profile.points;
  });
  if (same == imports_.end()) {
    imports_.push_back({std::move(profile), kept});
    shown_ = static_cast<int>(imports_.size()) - 1;
  } else {
    *same = {std::move(profile), kept};
    shown_ = static_cast<int>(same - imports_.begin());
  }
  show_profile(shown_);
}

void ImportedCurves::remove_shown() {
  if (profile() == nullptr) return;
  imports_.erase(imports_.begin() + shown_);
  show_profile(std::min(shown_, static_cast<int>(imports_.size()) - 1));
}

void ImportedCurves::show_profile(int index) {
  shown_ = index >= 0 && static_cast<std::size_t>(index) < imports_.size() ? index : -1;
  const QStringList all = datasets();
  if (!all.contains(dataset_)) dataset_ = all.isEmpty() ? QString() : all.front();
  emit changed();
}

void ImportedCurves::show_dataset(const QString& dataset) {
  if (dataset == dataset_ || !datasets().contains(dataset)) return;
  dataset_ = dataset;
  emit changed();
}

const ImportedProfile* ImportedCurves::profile() const {
  return shown_ < 0 ? nullptr : &imports_[static_cast<std::size_t>(shown_)].profile;
}

QStringList ImportedCurves::names() const {
  QStringList names;
  for (const Import& one : imports_) names << QFileInfo(to_q(one.profile.source.file)).fileName();
  return names;
}

QStringList ImportedCurves::datasets() const {
  QStringList names;
  if (profile() == nullptr) return names;
  for (const ImportedPoint& point : profile()->points)  // ascending by data set
    if (names.isEmpty() || names.back() != to_q(point.dataset)) names << to_q(point.dataset);
  return names;
}

std::vector<ImportedCurves::Curve> ImportedCurves::curves() const {
  std::map<QString, std::vector<ImportedPoint>> methods;
  if (profile() != nullptr)
    for (const ImportedPoint& point : profile()->points)
      if (to_q(point.dataset) == dataset_ && point.method != "none") methods[to_q(point.method)].push_back(point);
  std::vector<Curve> curves;
  curves.reserve(methods.size());
  for (auto& [method, points] : methods) curves.push_back({method, std::move(points)});
  return curves;
}

std::optional<double> ImportedCurves::uncompressed() const {
  if (profile() != nullptr)
    for (const ImportedPoint& point : profile()->points)
      if (to_q(point.dataset) == dataset_ && point.method == "none" && point.removed_fraction == 0)
        return point.quality;
  return std::nullopt;
}

std::vector<KeptImport> ImportedCurves::kept() const {
  std::vector<KeptImport> kept;
  kept.reserve(imports_.size());
  for (const Import& one : imports_)
    if (!one.kept.path.isEmpty()) kept.push_back(one.kept);
  return kept;
}

QString ImportedCurves::source() const {
  if (profile() == nullptr) return {};
  const ImportedSource& from = profile()->source;
  constexpr std::size_t shown_digits = 8;  // as source_text() of the core
  QString source =
      tr("%1 from %2 (digest %3, %4)")
          .arg(provenance_text(Provenance::imported), to_q(printable(from.file)),
               to_q(from.digest.substr(0, shown_digits)), from.date.empty() ? tr("no date") : to_q(from.date));
  if (from.scale != 1) source = tr("%1, quality divided by %2").arg(source).arg(from.scale);
  return profile()->model.empty() ? source : tr("%1, %2").arg(source, to_q(profile()->model));
}

}  // namespace kvantage
