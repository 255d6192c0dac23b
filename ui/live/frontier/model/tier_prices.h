// What a GiB of each tier's budget costs, relative to the others: a preference of the user, not a setting of a session.
// The cost of a plan is the sum over tiers of price * budget.
#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <vector>

#include "core/ports/tier_config.h"

class QSettings;

namespace kvantage {

class TierPrices : public QObject {
  Q_OBJECT
 public:
  static constexpr double max_price = 10000;

  explicit TierPrices(QObject* parent = nullptr);

  /// Reads them from the list at `key` of `settings` ("ssd=0.1"), and writes them there when they change. `settings`
  /// outlives this. Entries that are no price of a tier are ignored.
  void keep_in(QSettings& settings, const QString& key);

  /// Per GiB. Until the user sets it, by what the tier is: host memory 1, memory of a device 5, files 0.1, a server
  /// 0.02. These stand for no offer of anybody; 0: the tier is free.
  double price(const TierConfig& tier) const;
  /// Limited to 0 .. max_price.
  void set_price(const QString& tier, double price);
  /// Of all tiers, in their order. Where all are free, each is 1: then the cost is the sum of the budgets.
  std::vector<double> prices(const std::vector<TierConfig>& tiers) const;

 signals:
  void changed();

 private:
  void write() const;
  std::map<QString, double> set_;  // by tier
  QSettings* kept_ = nullptr;
  QString key_;
};

}  // namespace kvantage
