#include "ui/live/frontier/model/tier_prices.h"

#include <QSettings>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "ui/text/words.h"

namespace kvantage {
namespace {

double default_price_of(const TierConfig& tier) {
  switch (kind_of(tier).medium) {
    case TierMedium::host_memory:
      return 1;
    case TierMedium::device_memory:
      return 5;
    case TierMedium::files:
      return 0.1;
    case TierMedium::server:
      return 0.02;
  }
  return 1;
}

}  // namespace

TierPrices::TierPrices(QObject* parent) : QObject(parent) {}

void TierPrices::keep_in(QSettings& settings, const QString& key) {
  kept_ = &settings;
  key_ = key;
  const QStringList rows = settings.value(key).toStringList();
  for (const QString& row : rows) {
    const auto sign = row.lastIndexOf(QLatin1Char('='));
    bool is_number = false;
    const double price = sign > 0 ? row.mid(sign + 1).toDouble(&is_number) : 0;
    if (is_number && std::isfinite(price) && price >= 0 && price <= max_price) set_[row.left(sign)] = price;
  }
  emit changed();
}

double TierPrices::price(const TierConfig& tier) const {
  const auto found = set_.find(to_q(tier.name));
  return found != set_.end() ? found->second : default_price_of(tier);
}

void TierPrices::set_price(const QString& tier, double price) {
  if (!std::isfinite(price)) return;
  price = std::clamp(price, 0.0, max_price);
  const auto found = set_.find(tier);
  if (found != set_.end() && found->second == price) return;
  set_[tier] = price;
  write();
  emit changed();
}

void TierPrices::write() const {
  if (kept_ == nullptr) return;
  QStringList rows;
  for (const auto& [tier, price] : set_) rows << QStringLiteral("%1=%2").arg(tier, QString::number(price, 'g', 9));
  kept_->setValue(key_, rows);
}

std::vector<double> TierPrices::prices(const std::vector<TierConfig>& tiers) const {
  std::vector<double> all;
  all.reserve(tiers.size());
  for (const TierConfig& tier : tiers) all.push_back(price(tier));
  if (std::ranges::all_of(all, [](double one) { return one == 0; })) std::ranges::fill(all, 1.0);
  return all;
}

}  // namespace kvantage
