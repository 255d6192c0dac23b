#include "ui/welcome/model_advice.h"

#include <QClipboard>
#include <QDesktopServices>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QUrl>
#include <QVBoxLayout>
#include <utility>

#include "ui/files/products_box.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/button_tips.h"
#include "ui/widgets/row_table.h"

namespace kvantage {

const std::vector<RecommendedModel>& recommended_models() {
  static const std::vector<RecommendedModel> models{{"HuggingFaceTB/SmolLM2-135M-Instruct", 0.135, 23040, 8192},
                                                    {"HuggingFaceTB/SmolLM2-360M-Instruct", 0.362, 40960, 8192},
                                                    {"Qwen/Qwen2.5-0.5B-Instruct", 0.494, 12288, 32768},
                                                    {"Qwen/Qwen3-0.6B", 0.596, 114688, 40960},
                                                    {"meta-llama/Llama-3.2-1B-Instruct", 1.236, 32768, 131072},
                                                    {"Qwen/Qwen2.5-1.5B-Instruct", 1.544, 28672, 32768}};
  return models;
}

QLayout* ModelAdvice::shipped_row(const ModelOpeners& openers) {
  auto* row = new QHBoxLayout;
  row->addWidget(new QLabel(tr("Included with KVantage:")));
  for (const ShippedModelEntry& model : openers.shipped) {
    auto* button = new QPushButton(core_text(model.name));
    button->setObjectName(QStringLiteral("shipped:%1").arg(model.name));
    button->setToolTip(model.summary);
    connect(button, &QPushButton::clicked, this,
            [this, open = openers.open_shipped, folder = model.folder] { leave_for([&] { open(folder); }); });
    row->addWidget(button);
  }
  row->addStretch(1);
  return row;
}

QLayout* ModelAdvice::products_row(const ModelOpeners& openers) {
  auto* row = new QHBoxLayout;
  auto* label = new QLabel(tr("Computed with:"));
  products_ = new ProductsBox(openers.products);
  label->setBuddy(products_);
  row->addWidget(label);
  row->addWidget(products_, 1);  // its own hint has room for a few letters
  row->addStretch(1);
  return row;
}

void ModelAdvice::leave_for(const std::function<void()>& next) {
  close();
  if (products_ != nullptr && choose_products_) choose_products_(products_->products());
  next();
}

ModelAdvice::ModelAdvice(bool bf16, ModelOpeners openers, QWidget* parent)
    : QDialog(parent), choose_products_(openers.choose_products) {
  setObjectName(QStringLiteral("modelAdvice"));
  setWindowTitle(tr("Use my model"));
  setAttribute(Qt::WA_DeleteOnClose);
  auto* column = new QVBoxLayout(this);
  auto* what = new QLabel(
      tr("KVantage reads Hugging Face folders and GGUF files of Llama, Mistral, Qwen2 and Qwen3 models, and folders of "
         "OPT models. It downloads nothing itself. Models to start with (sizes from their published configurations):"));
  what->setWordWrap(true);
  column->addWidget(what);
  if (!openers.shipped.empty()) column->addLayout(shipped_row(openers));
  if (!openers.products.isEmpty()) column->addLayout(products_row(openers));
  const auto& models = recommended_models();
  auto* table = new QTableWidget(static_cast<int>(models.size()), 5);
  table->setObjectName(QStringLiteral("recommendedModels"));
  table->setAccessibleName(tr("Recommended models"));
  table->setToolTip(tr("Models to start with; the buttons below act on the selected one"));
  table->setHorizontalHeaderLabels(
      {tr("Model"), tr("Parameters"), tr("Memory for weights"), tr("KV cache per token"), tr("Longest context")});
  for (int row = 0; row < table->rowCount(); ++row) {
    const RecommendedModel& model = models[static_cast<std::size_t>(row)];
    const QStringList cells{QString::fromLatin1(model.repository), tr("%1 B").arg(model.billion_parameters, 0, 'f', 2),
                            bytes_text(model.weight_bytes(bf16)), bytes_text(model.kv_bytes_per_token),
                            tr("%1 tokens").arg(QLocale().toString(model.positions))};
    for (int at = 0; at < cells.size(); ++at) table->setItem(row, at, new QTableWidgetItem(cells[at]));
  }
  show_as_rows(*table);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->horizontalHeader()->setStretchLastSection(false);
  table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);  // no name is cut
  column->addWidget(table, 1);
  auto* note =
      new QLabel(bf16 ? tr("Weights stay in bf16 on this processor. The KV caches in the memory tiers come on top.")
                      : tr("This processor does not multiply bf16, so weights are widened to fp32. The KV "
                           "caches in the memory tiers come on top."));
  note->setWordWrap(true);
  note->setProperty("muted", true);
  column->addWidget(note);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  auto* copy = buttons->addButton(tr("Copy download command"), QDialogButtonBox::ActionRole);
  copy->setObjectName(QStringLiteral("copyDownload"));
  auto* page = buttons->addButton(tr("Open model page"), QDialogButtonBox::ActionRole);
  auto* folder = buttons->addButton(tr("Open folder…"), QDialogButtonBox::ActionRole);
  auto* file = buttons->addButton(tr("Open GGUF file…"), QDialogButtonBox::ActionRole);
  page->setToolTip(tr("Show the page of the selected model in the browser"));
  folder->setToolTip(tr("Serve a model from a Hugging Face folder"));
  file->setToolTip(tr("Serve a model from a GGUF file"));
  add_button_tips(*buttons);
  column->addWidget(buttons);
  connect(table, &QTableWidget::currentCellChanged, this, [this, copy](int row) {
    choose(row);
    copy->setToolTip(command_);
  });
  connect(copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(command_); });
  connect(page, &QPushButton::clicked, this, [table] {
    QDesktopServices::openUrl(
        QUrl(QStringLiteral("https://huggingface.co/%1").arg(table->item(table->currentRow(), 0)->text())));
  });
  connect(folder, &QPushButton::clicked, this, [this, open = openers.open_folder] { leave_for(open); });
  connect(file, &QPushButton::clicked, this, [this, open = openers.open_file] { leave_for(open); });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
  table->setCurrentCell(2, 0);
  resize(820, openers.shipped.empty() ? 380 : 420);
}

// The command of huggingface_hub; what follows --include keeps weights of other frameworks out.
void ModelAdvice::choose(int row) {
  const QString repository =
      row < 0 ? QString() : QString::fromLatin1(recommended_models()[static_cast<std::size_t>(row)].repository);
  command_ = repository.isEmpty()
                 ? QString()
                 : QStringLiteral("hf download %1 --include '*.json' '*.safetensors' '*.jinja' --local-dir %2")
                       .arg(repository, repository.section('/', 1));
}

}  // namespace kvantage
