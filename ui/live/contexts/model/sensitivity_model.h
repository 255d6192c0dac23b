// Sensitivity: the relative drop of a context's quality at a method and removed fraction (EvicPress figure 3),
//     drop = 1 - quality(method, removed) / quality(none, 0).
// Contexts whose uncompressed quality is zero have no drop; they are counted apart and never drawn as zero.
#pragma once

#include <QObject>
#include <QPointF>
#include <QString>
#include <QStringList>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/policy/types.h"

namespace kvantage {

class SensitivityModel : public QObject {
  Q_OBJECT
 public:
  struct FamilyDistribution {
    QString family;
    std::vector<QPointF> cdf;  // (relative drop, share of contexts at or below it), ascending, starts at share 0
    double median = 0, coefficient_of_variation = 0;
    int contexts = 0;
    QStringList names;  // of the contexts, ascending; the i-th has its step at cdf[2 i + 2]
  };
  struct CurvePoint {
    double removed_fraction = 0, kept_bytes = 0, quality = 0, low = 0, high = 0;
    int n = 0;
    bool chosen = false;  // the policy's present choice
    bool pooled = false;  // from similar contexts alone: nothing was asked here
  };
  struct MethodCurve {
    QString method;
    std::vector<CurvePoint> points;
  };
  /// What the chosen context's quality is seen against, with 95 % intervals; nothing where it is not known.
  struct Baselines {
    std::optional<ProfileChance> uncompressed, chance;
  };
  struct HeatRow {
    QString context, family;
    std::vector<std::optional<double>> drops;  // parallel to heat_fractions()
    std::optional<double> at_selected;
    double chosen_fraction = -1;  // of the present placement, when it uses the selected method
  };

  explicit SensitivityModel(QObject* parent = nullptr);

  void set_snapshot(const std::shared_ptr<const Snapshot>& snapshot);
  void set_selection(const QString& method, double removed_fraction);
  void set_context(const QString& context_id);
  /// The user chose a context in one of the views.
  void pick_context(const QString& context_id) { emit contextPicked(context_id); }
  /// The mouse is over what one of the views shows of a context; empty: it left.
  void hover_context(const QString& context_id) { emit contextHovered(context_id); }
  /// Every context that there is, in alphabetical order.
  const QStringList& contexts() const { return contexts_; }
  /// Nothing is chosen any more: what is shown stays, unmarked.
  void unmark();

  QString method() const { return method_; }
  double removed_fraction() const { return fraction_; }
  QString context() const { return context_; }
  /// Whether the shown context was selected by set_context(); until then it is the most requested one.
  bool marked() const { return marked_; }
  const std::vector<QString>& methods() const { return methods_; }
  const std::vector<double>& fractions() const { return fractions_; }
  int profiled() const { return profiled_; }
  /// The session's methods, in the text forms that profiles have too.
  void set_candidates(const std::vector<std::string>& methods);
  /// A candidate that was added while profiles were there already: how many of the profiled contexts have it.
  struct Behind {
    QString method;
    int contexts = 0;
    bool operator==(const Behind&) const = default;
  };
  /// The one that the fewest have, while some do not.
  const std::optional<Behind>& behind() const { return behind_; }
  int without_base_quality() const { return without_base_; }

  std::vector<FamilyDistribution> distributions() const;
  Baselines baselines() const;
  std::vector<MethodCurve> curves() const;  // of the selected context
  /// Present choice of the selected context, or none when it is not stored.
  std::optional<Configuration> choice() const;
  /// Sorted by the drop at the selected fraction, the most sensitive first.
  std::vector<HeatRow> heat_rows() const;
  const std::vector<double>& heat_fractions() const { return fractions_; }

 signals:
  void changed();
  void contextChanged(const QString& context_id);
  void contextPicked(const QString& context_id);
  void contextHovered(const QString& context_id);

 private:
  const ContextState* find_context() const;
  void take_profiles();
  std::optional<Behind> find_behind() const;
  void follow_placements();
  std::shared_ptr<const Snapshot> snapshot_;
  std::vector<QString> methods_;
  std::vector<double> fractions_;
  QString method_, context_;
  QStringList contexts_;
  double fraction_ = 0.9;
  bool chosen_by_user_ = false, marked_ = false;
  int profiled_ = 0, without_base_ = 0;
  std::vector<std::string> candidates_;
  std::optional<Behind> behind_;
};

/// drop of one context, or nothing when a point is missing or the base quality is not positive.
std::optional<double> relative_drop(const ContextState& context, const std::string& method, double removed_fraction);

}  // namespace kvantage
