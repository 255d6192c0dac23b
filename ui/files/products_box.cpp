#include "ui/files/products_box.h"

#include "core/ports/serving_settings.h"
#include "ui/text/words.h"

namespace kvantage {

ProductsBox::ProductsBox(const QString& products, QWidget* parent) : QComboBox(parent) {
  addItem(tr("library products"), to_q(std::string(library_products)));
  addItem(tr("batch-invariant products"), to_q(std::string(batch_invariant_products)));
  setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  setMinimumContentsLength(8);
  setAccessibleName(tr("Matrix products"));
  setToolTip(
      tr("Library: libtorch multiplies matrices on the CPU; the bits of a row depend on how many are computed with "
         "it.\nBatch-invariant: KVantage multiplies them; a row has the same bits in any batch, so that requests "
         "prefill together (Prefill batch) and the answers of a profile are measured together.\nOn a CPU with AVX-512 "
         "bf16 these were 0.96 to 1.5 times as fast for up to 128 rows, 0.87 to 0.97 times for 512 "
         "(docs/performance-model.md)."));
  choose(products);
}

void ProductsBox::choose(const QString& products) { setCurrentIndex(qMax(0, findData(products))); }

}  // namespace kvantage
