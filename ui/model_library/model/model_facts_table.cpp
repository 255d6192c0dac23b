#include "ui/model_library/model/model_facts_table.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <utility>

#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct ModelFactsText {
  Q_DECLARE_TR_FUNCTIONS(ModelFactsText)
};

QString model_count_text(std::uint64_t count) { return QLocale().toString(static_cast<qulonglong>(count)); }

QString model_bytes_text(std::uint64_t bytes) { return bytes_text(static_cast<double>(bytes)); }

QString model_parameters_text(std::uint64_t parameters) {
  const auto number = static_cast<double>(parameters);
  if (number >= 1e9) return ModelFactsText::tr("%1 B").arg(number / 1e9, 0, 'f', 2);
  if (number >= 1e6) return ModelFactsText::tr("%1 M").arg(number / 1e6, 0, 'f', 1);
  return model_count_text(parameters);
}

QString model_tokens_text(int tokens) { return ModelFactsText::tr("%1 tokens").arg(QLocale().toString(tokens)); }

void add_checkpoint(const ModelFacts& facts, std::vector<ModelFactRow>& rows) {
  const WeightFacts& weights = facts.weights;
  if (!weights.architecture.empty()) rows.push_back({ModelFactsText::tr("Architecture"), to_q(weights.architecture)});
  if (weights.parameters > 0)
    rows.push_back({ModelFactsText::tr("Parameters"), model_parameters_text(weights.parameters),
                    model_count_text(weights.parameters)});
  if (!weights.stored_as.empty())
    rows.push_back(
        {ModelFactsText::tr("Quantization"),
         ModelFactsText::tr("%1 on disk, computed in %2").arg(to_q(weights.stored_as), to_q(weights.computed_as)),
         ModelFactsText::tr("Types of the tensors by their bytes, the largest first. Types that this "
                            "processor does not multiply are converted when the model is loaded.")});
  if (weights.file_bytes > 0)
    rows.push_back({ModelFactsText::tr("Size on disk"), model_bytes_text(weights.file_bytes)});
  if (facts.tokenizer.tokens > 0) {
    rows.push_back({ModelFactsText::tr("Tokenizer"), model_tokens_text(facts.tokenizer.tokens)});
    rows.push_back({ModelFactsText::tr("Chat template"),
                    facts.tokenizer.chat_template
                        ? ModelFactsText::tr("yes; prompt form %1").arg(to_q(facts.tokenizer.prompt_form))
                        : ModelFactsText::tr("none; prompt form %1").arg(to_q(facts.tokenizer.prompt_form))});
  }
}

void add_caches(const CacheFacts& caches, std::vector<ModelFactRow>& rows) {
  if (caches.bytes_per_token == 0) return;
  rows.push_back({ModelFactsText::tr("Layers × KV heads × head size"),
                  QStringLiteral("%1 × %2 × %3").arg(caches.layers).arg(caches.kv_heads).arg(caches.head_dim)});
  rows.push_back({ModelFactsText::tr("Longest context"), model_tokens_text(caches.max_positions)});
  rows.push_back({ModelFactsText::tr("KV cache per token"),
                  QStringLiteral("%1 (%2)").arg(model_bytes_text(caches.bytes_per_token), to_q(caches.type)),
                  ModelFactsText::tr("%1 bytes uncompressed: keys and values over all layers and KV heads")
                      .arg(model_count_text(caches.bytes_per_token))});
  const double share = caches.kivi4_bytes_per_token / static_cast<double>(caches.bytes_per_token);
  rows.push_back({ModelFactsText::tr("KV cache per token, kivi4"),
                  QStringLiteral("%1 (%2)").arg(bytes_text(caches.kivi4_bytes_per_token), percent_text(share)),
                  ModelFactsText::tr("Mean over a context of %1, of which the newest tokens are not quantized")
                      .arg(model_tokens_text(caches.kivi4_tokens))});
}

void add_windows(const WindowFacts& windows, const CacheFacts& caches, std::vector<ModelFactRow>& rows) {
  if (windows.layers == 0) return;
  rows.push_back({ModelFactsText::tr("KV cache per token, past the windows"),
                  QStringLiteral("%1 (%2)").arg(model_bytes_text(windows.bytes_per_token), to_q(caches.type)),
                  ModelFactsText::tr("What a token adds to a stored context that is longer than the sliding windows: "
                                     "%1 of %2 layers have one, the longest of %3")
                      .arg(windows.layers)
                      .arg(caches.layers)
                      .arg(model_tokens_text(windows.longest))});
}

void add_memory(const ModelFit& fit, std::vector<ModelFactRow>& rows) {
  if (!fit.memory) return;
  const MemoryEstimate& memory = *fit.memory;
  rows.push_back({ModelFactsText::tr("Weights in memory"), model_bytes_text(memory.weights_bytes),
                  ModelFactsText::tr("In the type that this processor computes with; matrices in Q8_0 besides")});
  rows.push_back({ModelFactsText::tr("Workspace"), model_bytes_text(memory.workspace_bytes),
                  ModelFactsText::tr("Buffers of a prefill of 256 tokens at a time")});
  rows.push_back({ModelFactsText::tr("KV cache of the context"), model_bytes_text(memory.cache_bytes),
                  ModelFactsText::tr("Of one request with a context of %1, in blocks of the pool. The caches in memory "
                                     "tiers come on top.")
                      .arg(model_tokens_text(fit.context_tokens))});
  rows.push_back({ModelFactsText::tr("Needed"), model_bytes_text(memory.needed_bytes),
                  ModelFactsText::tr("Weights, workspace and the KV cache of the context")});
  rows.push_back(
      {ModelFactsText::tr("Free memory"),
       ModelFactsText::tr("%1 of %2").arg(model_bytes_text(memory.available_bytes), model_bytes_text(fit.total_bytes)),
       ModelFactsText::tr("Free now, with the weights of the loaded model: opening another one frees them")});
  rows.push_back({ModelFactsText::tr("Longest context that fits"),
                  memory.max_tokens > 0 ? model_tokens_text(memory.max_tokens) : ModelFactsText::tr("none"),
                  ModelFactsText::tr("In the memory that weights and workspace leave, in the pool of KV blocks, and in "
                                     "the positions of the model")});
}

QString speed_text(double tokens_per_second, const ModelSpeed& speed) {
  if (tokens_per_second <= 0) return QStringLiteral("–");
  const QString rate = ModelFactsText::tr("%1 tokens/s").arg(number_text(tokens_per_second));
  return speed.measured.isValid()
             ? ModelFactsText::tr("%1, measured on %2").arg(rate, speed.measured.toString(Qt::ISODate))
             : ModelFactsText::tr("%1, in this session").arg(rate);
}

void add_speed(const std::optional<ModelSpeed>& speed, std::vector<ModelFactRow>& rows) {
  const QString unknown = ModelFactsText::tr("not measured on this machine");
  rows.push_back({ModelFactsText::tr("Prefill"), speed ? speed_text(speed->prefill_tokens_per_second, *speed) : unknown,
                  ModelFactsText::tr("Tokens of a context of %1 per second, by the fit of measured prefills. %2")
                      .arg(model_tokens_text(ModelSpeed::prefill_tokens), speed ? speed->device : QString())
                      .trimmed()});
  rows.push_back({ModelFactsText::tr("Decode"), speed ? speed_text(speed->decode_tokens_per_second, *speed) : unknown,
                  ModelFactsText::tr("Tokens of one answer per second: median over the latest answers (%1)")
                      .arg(speed ? speed->answers : 0)});
}

}  // namespace

std::vector<ModelFactRow> ModelFactsTable::rows_of(const ModelFacts& facts, const ModelFit& fit,
                                                   const std::optional<ModelSpeed>& speed) {
  std::vector<ModelFactRow> rows;
  rows.reserve(20);
  add_checkpoint(facts, rows);
  add_caches(facts.caches, rows);
  add_windows(facts.windows, facts.caches, rows);
  if (!facts.refusal.empty()) return rows;
  add_memory(fit, rows);
  add_speed(speed, rows);
  return rows;
}

QString ModelFactsTable::verdict(const ModelFacts& facts, const ModelFit& fit, bool is_loaded) {
  if (!facts.refusal.empty()) return core_text(facts.refusal);
  if (!fit.memory) return tr("The free memory is not known.");
  const QString needed = model_bytes_text(fit.memory->needed_bytes);
  const QString available = model_bytes_text(fit.memory->available_bytes);
  if (fit.memory->fits)
    return is_loaded ? tr("Loaded: needs %1 with this context, %2 are free.").arg(needed, available)
                     : tr("Fits: needs %1, %2 are free.").arg(needed, available);
  if (fit.memory->needed_bytes > fit.memory->available_bytes)
    return tr("Does not fit: needs %1, %2 are free.").arg(needed, available);
  return tr("A context of %1 does not fit into the pool of KV blocks; the longest has %2.")
      .arg(model_tokens_text(fit.context_tokens), model_tokens_text(fit.memory->max_tokens));
}

void ModelFactsTable::show_rows(std::vector<ModelFactRow> rows) {
  const auto is_same = [](const ModelFactRow& a, const ModelFactRow& b) {
    return a.fact == b.fact && a.value == b.value && a.tip == b.tip;
  };
  if (std::ranges::equal(rows, rows_, is_same)) return;
  const bool keeps_facts =
      std::ranges::equal(rows, rows_, [](const ModelFactRow& a, const ModelFactRow& b) { return a.fact == b.fact; });
  if (keeps_facts) {  // the cursor stays where it is
    rows_ = std::move(rows);
    emit dataChanged(index(0, 0), index(rowCount() - 1, 1));
    return;
  }
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

QString ModelFactsTable::value_of(const QString& fact) const {
  const auto found = std::ranges::find(rows_, fact, &ModelFactRow::fact);
  return found == rows_.end() ? QString() : found->value;
}

int ModelFactsTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int ModelFactsTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : 2; }

QVariant ModelFactsTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const ModelFactRow& row = rows_[static_cast<std::size_t>(index.row())];
  if (role == Qt::DisplayRole) return index.column() == 0 ? row.fact : row.value;
  if (role == Qt::ToolTipRole) return row.tip.isEmpty() ? row.value : row.tip;
  return {};
}

QVariant ModelFactsTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == 0 ? tr("Fact") : tr("Value");
}

}  // namespace kvantage
