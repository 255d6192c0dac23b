// Which models to begin with, what they need, and where to get them.
#pragma once

#include <QDialog>
#include <QString>
#include <cstdint>
#include <functional>
#include <vector>

class QLayout;

namespace kvantage {

/// An open model of a supported architecture, by its published configuration.
struct RecommendedModel {
  const char* repository;  // on huggingface.co
  double billion_parameters;
  int kv_bytes_per_token;  // bf16
  int positions;
  /// Weights as this machine computes with them: 2 bytes per parameter in bf16, 4 in fp32.
  double weight_bytes(bool bf16) const { return billion_parameters * 1e9 * (bf16 ? 2 : 4); }
};
const std::vector<RecommendedModel>& recommended_models();

/// A model that comes with the program.
struct ShippedModelEntry {
  QString name, folder, summary;
};

/// What the dialog's buttons do. open_folder and open_file ask the user for a model.
struct ModelOpeners {
  std::vector<ShippedModelEntry> shipped = {};
  std::function<void(const QString& folder)> open_shipped = {};
  std::function<void()> open_folder = {}, open_file = {};
};

class ModelAdvice : public QDialog {
  Q_OBJECT
 public:
  /// bf16: this processor multiplies it, so that weights stay in it.
  ModelAdvice(bool bf16, ModelOpeners openers, QWidget* parent);
  /// What downloads the chosen model; empty: none is chosen.
  QString command() const { return command_; }

 private:
  QLayout* shipped_row(const ModelOpeners& openers);
  void choose(int row);
  QString command_;
};

}  // namespace kvantage
