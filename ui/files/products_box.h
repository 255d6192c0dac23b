// Which products the model's matrices are multiplied with: a choice that is made when a model is opened.
#pragma once

#include <QComboBox>
#include <QString>

namespace kvantage {

class ProductsBox : public QComboBox {
  Q_OBJECT
 public:
  /// products: as ServingSettings has them; shown first.
  explicit ProductsBox(const QString& products, QWidget* parent = nullptr);
  void choose(const QString& products);
  /// The chosen ones, as ServingSettings has them.
  QString products() const { return currentData().toString(); }
};

}  // namespace kvantage
