// Which models to begin with, what they need, and where to get them.
#pragma once

#include <QDialog>
#include <QString>
#include <cstdint>
#include <functional>
#include <vector>

class QLayout;

namespace kvantage {

class ProductsBox;

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
  QString products = {};  // of the present session; empty: none can be chosen
  /// Called with the chosen matrix products before one of the others.
  std::function<void(const QString& products)> choose_products = {};
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
  QLayout* products_row(const ModelOpeners& openers);
  /// Closes the dialog and opens a model.
  void leave_for(const std::function<void()>& next);
  void choose(int row);
  QString command_;
  ProductsBox* products_ = nullptr;
  std::function<void(const QString& products)> choose_products_;
};

}  // namespace kvantage
