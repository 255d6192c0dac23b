#include "ui/live/requests/requests_dock.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollBar>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>
#include <utility>

#include "core/ports/reason_text.h"
#include "core/report/serving_ways.h"
#include "ui/live/contexts/hovered_context.h"
#include "ui/live/requests/request_filter.h"
#include "ui/live/requests/requests_table.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"
#include "ui/widgets/empty_note.h"
#include "ui/widgets/fit_columns.h"
#include "ui/widgets/row_table.h"

namespace kvantage {
namespace {

/// Tells of another width, when all that depends on it has taken it.
class OnResize : public QObject {
 public:
  OnResize(QObject* parent, std::function<void()> act) : QObject(parent), act_(std::move(act)) {}

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::Resize) QTimer::singleShot(0, this, act_);
    return QObject::eventFilter(watched, event);
  }

 private:
  std::function<void()> act_;
};

// A table row for each part of the TTFT.
QString segment_rows(const Theme& theme, const RequestTiming& timing) {
  const double parts[] = {timing.lookup_seconds, timing.load_seconds, timing.decode_seconds,
                          timing.context_prefill_seconds, timing.question_prefill_seconds};
  QString html;
  for (int i = 0; i < RequestsModel::segment_count; ++i)
    html += QStringLiteral("<tr><td style='color:%1'>■</td><td>%2&nbsp;&nbsp;</td><td align='right'>%3</td></tr>")
                .arg(segment_color(theme, static_cast<RequestsModel::Segment>(i)).name(),
                     RequestsModel::segment_name(static_cast<RequestsModel::Segment>(i)), seconds_text(parts[i]));
  return html;
}

}  // namespace

RequestsDock::RequestsDock(RequestsModel& model, Selection& selection, QWidget* parent)
    : QWidget(parent),
      model_(model),
      selection_(selection),
      theme_(theme_of(ThemeKind::light)),
      table_(new QTableView),
      bars_(new TimingBarDelegate(this)),
      detail_(new QTextBrowser),
      filter_(new QLineEdit),
      follow_(new QCheckBox(tr("Follow"))),
      brushed_only_(new QCheckBox(tr("Selected only"))),
      legend_(new LegendStrip),
      head_(new QHBoxLayout),
      filter_row_(new QHBoxLayout) {
  setObjectName("dockBody");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 5, 0, 0);
  column->setSpacing(4);
  column->addLayout(make_filter_row());
  column->addWidget(make_table_and_detail(), 1);

  lazy_detail_ = new LazyRefresh(
      *this, [this] { show_detail(); }, 120);
  lazy_scroll_ = new LazyRefresh(
      *this,
      [this] {
        if (!follow_->isChecked()) return;
        table_->scrollToBottom();
        if (proxy_->rowCount() > 0) table_->selectRow(proxy_->rowCount() - 1);
        lazy_detail_->flush();  // details are those of the marked row
      },
      120);
  connect_signals();
  new EmptyNote(*table_, [this] {
    return model_.rowCount() == 0 ? tr("No requests yet. They appear once you press Start.")
                                  : tr("No request matches the filter. Clear the filter to see all.");
  });
  install_chart_menu(*table_, {table_, tr("Requests"), [this] { return requests_table(model_, *proxy_); }});
  set_theme(theme_);
  lazy_detail_->invalidate();
}

QLayout* RequestsDock::make_filter_row() {
  filter_->setPlaceholderText(tr("Filter"));
  filter_->setClearButtonEnabled(true);
  filter_->setMaximumWidth(220);
  filter_->setAccessibleName(tr("Filter requests"));
  filter_->setToolTip(tr("Show only requests whose question, answer, family or source contains this text"));
  follow_->setChecked(true);
  follow_->setToolTip(tr("Keep the newest request in view and show its details"));
  filter_row_->addWidget(filter_);
  filter_row_->addWidget(follow_);
  brushed_only_->setToolTip(tr("Show only the requests that a box in a chart selected. Esc clears the selection."));
  brushed_only_->hide();  // until there are any
  filter_row_->addWidget(brushed_only_);
  filter_row_->addStretch(0);
  head_->setContentsMargins(8, 0, 8, 0);
  head_->addLayout(filter_row_);
  head_->addSpacing(8);
  head_->addWidget(legend_, 1);
  installEventFilter(new OnResize(this, [this] { place_legend(); }));
  return head_;
}

// Below the filter where what it names would be cut: large text in a narrow dock.
void RequestsDock::place_legend() {
  constexpr int least_letters = 20;
  const int wanted = filter_row_->sizeHint().width() + least_letters * legend_->fontMetrics().averageCharWidth();
  head_->setDirection(width() < wanted ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

QWidget* RequestsDock::make_table_and_detail() {
  proxy_ = new RequestFilter(this);
  proxy_->setSourceModel(&model_);
  table_->setModel(proxy_);
  table_->setItemDelegateForColumn(RequestsModel::where_time_went, bars_);
  table_->setAccessibleName(tr("Requests"));
  table_->setToolTip(tr("One row per request, newest last. TTFT excludes queueing."));
  show_as_rows(*table_);

  detail_->setAccessibleName(tr("Request details"));
  detail_->setToolTip(tr("Details of the selected request: question, answer, reference answer and TTFT breakdown"));
  detail_->setOpenLinks(false);
  detail_->setMinimumWidth(210);
  auto* splitter = new QSplitter(Qt::Horizontal);
  splitter->setHandleWidth(1);
  splitter->addWidget(table_);
  splitter->addWidget(detail_);
  splitter->setStretchFactor(0, 7);
  splitter->setStretchFactor(1, 3);
  splitter->setSizes({790, 210});
  // In a narrow dock the table alone: beside the details only two of its columns would be left.
  constexpr int least_for_both = 560;
  splitter->installEventFilter(
      new OnResize(splitter, [this, splitter] { detail_->setVisible(splitter->width() >= least_for_both); }));
  return splitter;
}

void RequestsDock::connect_signals() {
  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) { proxy_->set_text(text); });
  connect(&model_, &QAbstractItemModel::rowsInserted, this, [this] { lazy_scroll_->invalidate(); });
  connect(&model_, &RequestsModel::rowChanged, this, [this](int changed) {
    const QModelIndex current = proxy_->mapToSource(table_->currentIndex());
    if (current.isValid() && current.row() == changed) lazy_detail_->invalidate();
  });
  connect(&model_, &QAbstractItemModel::modelReset, this, [this] {
    lazy_detail_->invalidate();
    for (int row = 0; row < model_.rowCount(); ++row) show_columns_of(row);
  });
  for (const int column :
       {RequestsModel::way, RequestsModel::predicted, RequestsModel::inter_token, RequestsModel::peak_kv})
    table_->setColumnHidden(column, true);
  connect(&model_, &RequestsModel::rowChanged, this, &RequestsDock::show_columns_of);
  connect(&model_, &RequestsModel::barScaleChanged, table_->viewport(), qOverload<>(&QWidget::update));
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    lazy_detail_->invalidate();
    // A click on an older request asks to stay there.
    if (now.isValid() && table_->hasFocus() && now.row() + 1 < proxy_->rowCount()) {
      follow_->setChecked(false);
      tell_selection(now);
    }
  });
  connect(table_, &QTableView::clicked, this, [this](const QModelIndex& at) { tell_selection(at); });
  connect(&selection_, &Selection::contextChanged, this, [this] { show_selection(); });
  table_->viewport()->installEventFilter(new OnResize(this, [this] { share_room(); }));
  connect(&selection_, &Selection::contextsChanged, this, [this] { show_selection(); });
  connect(&selection_, &Selection::requestsChanged, this, &RequestsDock::show_brushed);
  connect(brushed_only_, &QCheckBox::toggled, this, [this](bool on) { proxy_->show_brushed_only(on); });
  tell_hovered_context(*table_, RequestsModel::context_role, selection_);
  connect(&selection_, &Selection::requestChanged, this, [this] { show_selection(); });
  connect(follow_, &QCheckBox::toggled, this, [this] { lazy_scroll_->invalidate(); });
}

// What decoding on a budget or a tier changes, and ways other than loading and prefill, have columns once they were
// used: room is scarce.
void RequestsDock::show_columns_of(int row) {
  const RequestsModel::Row* one = model_.row(row);
  if (one == nullptr || one->running) return;
  const RequestRecord& record = one->record;
  if (record.compute_or_load.used() || record.compute_or_load.tokens_from_inputs > 0)
    for (const int column : {RequestsModel::way, RequestsModel::predicted}) table_->setColumnHidden(column, false);
  if (record.decoding.eviction.empty() && !record.decoding.offload && !record.decoding.speculation) return;
  for (const int column : {RequestsModel::inter_token, RequestsModel::peak_kv}) table_->setColumnHidden(column, false);
}

void RequestsDock::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (fitted_) return;
  fitted_ = true;
  fit_columns(*table_, {"9999", "inventory-1", "cancelled", "hybrid prefill", "streaming_llm 75 %", "999.9 ms",
                        "99.9 ms", "99.9 MiB", "99.9 ms", "a bar", "0.999", "inventory",
                        "In the text, which item was moved where?", "the brass key in the drawer"});
  question_min_ = question_ = table_->columnWidth(RequestsModel::question);
  share_room();
}

// The answer takes what is left at the right; where that is much, questions get most of it. A width set by hand stays.
void RequestsDock::share_room() {
  QHeaderView& header = *table_->horizontalHeader();
  if (!fitted_ || sharing_ || header.sectionSize(RequestsModel::question) != question_) return;
  const int both = header.sectionSize(RequestsModel::question) + header.sectionSize(RequestsModel::answer);
  const int room =
      table_->viewport()->width() - (header.length() - both);  // less than both have where the window has shrunk
  question_ = std::max(question_min_, room * 2 / 3);
  sharing_ = true;
  header.resizeSection(RequestsModel::question, question_);
  sharing_ = false;
}

void RequestsDock::set_theme(const Theme& theme) {
  theme_ = theme;
  bars_->set_theme(theme);
  legend_->set_theme(theme);
  place_legend();
  std::vector<LegendItem> items;
  for (int i = 0; i < RequestsModel::segment_count; ++i) {
    const auto segment = static_cast<RequestsModel::Segment>(i);
    items.push_back({"",
                     RequestsModel::segment_name(segment),
                     tr("Part of the TTFT, in s"),
                     LegendItem::Sign::swatch,
                     segment_color(theme, segment),
                     {},
                     false});
  }
  legend_->set_items(std::move(items));
  show_selection();
  table_->viewport()->update();
  lazy_detail_->invalidate();
  constexpr const char* fitted_height = "fitted_height";
  if (const int height = fontMetrics().height(); property(fitted_height).toInt() != height) {
    setProperty(fitted_height, height);
    QTimer::singleShot(50, this, [this] {  // columns were fitted to the new text size by then
      if (!fitted_) return;
      question_min_ = question_ = table_->columnWidth(RequestsModel::question);
      share_room();
    });
  }
}

const RequestsModel::Row* RequestsDock::current() const {
  return model_.row(proxy_->mapToSource(table_->currentIndex()).row());
}

void RequestsDock::select_request(std::uint64_t request) {
  for (int r = proxy_->rowCount() - 1; r >= 0; --r)  // mostly one of the newest is requested
    if (proxy_->index(r, RequestsModel::number).data().toULongLong() == request) {
      if (table_->currentIndex().row() != r) table_->selectRow(r);
      table_->scrollTo(proxy_->index(r, 0));
      return;
    }
}

void RequestsDock::tell_selection(const QModelIndex& at) {
  selection_.choose_request(at.siblingAtColumn(RequestsModel::number).data().toULongLong(),
                            at.data(RequestsModel::context_role).toString());
}

void RequestsDock::show_selection() {
  QColor ground = theme_.accent;
  ground.setAlphaF(0.16f);
  QColor brushed = theme_.accent;
  brushed.setAlphaF(0.28f);
  proxy_->set_brushed(selection_.chosen_requests(), brushed);
  proxy_->set_chosen(selection_.context(), selection_.chosen_contexts(), ground);
  if (selection_.request() == 0) return;
  follow_->setChecked(false);
  select_request(selection_.request());
}

void RequestsDock::show_brushed() {
  const bool any = !selection_.chosen_requests().empty();
  brushed_only_->setVisible(any);
  if (!any) brushed_only_->setChecked(false);
  show_selection();
  if (!any) return;
  follow_->setChecked(false);
  for (int r = 0; r < proxy_->rowCount(); ++r)
    if (proxy_->is_brushed(proxy_->mapToSource(proxy_->index(r, 0)).row()))
      return table_->scrollTo(proxy_->index(r, 0), QAbstractItemView::PositionAtTop);
}

void RequestsDock::show_detail() {
  const RequestsModel::Row* row = table_->currentIndex().isValid() ? current() : nullptr;
  if (!row) {
    detail_->setHtml(
        QStringLiteral("<p style='color:%1'>%2</p>")
            .arg(theme_.muted.name(), model_.rowCount() == 0
                                          ? tr("Requests appear here as they arrive, once you press Start.")
                                          : tr("Select a request to see its answer and its TTFT breakdown.")));
    return;
  }
  const RequestRecord& r = row->record;
  const auto part = [this](const QString& name, const std::string& text) {
    return text.empty()
               ? QString()
               : QStringLiteral("<p style='margin:0 0 6px 0'><span style='color:%1'>%2</span><br>%3</p>")
                     .arg(theme_.muted.name(), name, to_q(text).trimmed().toHtmlEscaped().replace('\n', "<br>"));
  };
  QString html = QStringLiteral("<p style='margin:0 0 6px 0'><b>#%1 %2</b> <span style='color:%3'>%4</span></p>")
                     .arg(r.id)
                     .arg(to_q(r.context_id).toHtmlEscaped(), theme_.muted.name(), to_q(r.family).toHtmlEscaped());
  html += part(tr("Question"), r.question) + part(row->running ? tr("Answer (running)") : tr("Answer"), r.answer) +
          part(tr("Reference answer"), r.gold) + part(tr("Answer with the full KV cache"), r.reference_answer);
  if (!row->running) {
    QStringList qualities;
    for (const auto& [metric, value] : r.quality) qualities << to_q(metric).toHtmlEscaped() + " " + quality_text(value);
    const auto metric = [this](const QString& name, const QString& value, const QString& predicted) {
      const QString text = QStringLiteral("<span style='color:%1'>%2</span> %3").arg(theme_.muted.name(), name, value);
      return predicted.isEmpty()
                 ? text
                 : text + QStringLiteral(" <i style='color:%1'>%2</i>").arg(theme_.muted.name(), predicted);
    };
    html +=
        QStringLiteral("<p style='margin:0 0 6px 0'>%1<br>%2</p><table cellspacing='0' cellpadding='1'>")
            .arg(metric(tr("Quality"), qualities.isEmpty() ? QStringLiteral("–") : qualities.join(", "),
                        r.predicted_quality >= 0 ? tr("(predicted %1)").arg(quality_text(r.predicted_quality))
                                                 : QString()),
                 metric(tr("TTFT"),
                        QStringLiteral("%1 (%2)").arg(seconds_text(r.timing.ttft_service_seconds),
                                                      provenance_text(r.provenance)),
                        r.predicted_ttft_seconds >= 0 ? tr("(predicted %1)").arg(seconds_text(r.predicted_ttft_seconds))
                                                      : QString()));
    html += segment_rows(theme_, r.timing);
    html += QStringLiteral("<tr><td></td><td>%1&nbsp;&nbsp;</td><td align='right'>%2</td></tr></table>")
                .arg(tr("queueing"), seconds_text(r.timing.queue_seconds));
    QStringList facts{r.source == "prefill" ? tr("prefilled") : tr("from %1").arg(to_q(r.source)),
                      configuration_text(r.method, r.removed_fraction),
                      tr("%1 of %2 tokens kept").arg(r.kept_tokens).arg(r.context_tokens),
                      tr("%1 loaded").arg(bytes_text(static_cast<double>(r.bytes_loaded)))};
    if (const ComputeOrLoadRecord& met = r.compute_or_load; met.used())
      facts << tr("%1: %2 of %3 tokens computed; predicted %4, or %5 with loading only")
                   .arg(core_text(serving_way_text(serving_way(r))))
                   .arg(met.computed_tokens)
                   .arg(r.context_tokens)
                   .arg(seconds_text(met.predicted_seconds), seconds_text(met.load_alone_seconds));
    if (r.compute_or_load.tokens_from_inputs > 0) facts << recomputed_text(r.compute_or_load);
    if (const auto& reads = r.important_reads)
      facts << tr("%1 of %2 chunks read; probe keys %3, chunks %4, of both from copies %5")
                   .arg(reads->chunks_read)
                   .arg(reads->chunks)
                   .arg(bytes_text(static_cast<double>(reads->probe_bytes)),
                        bytes_text(static_cast<double>(reads->chunk_bytes)),
                        bytes_text(static_cast<double>(reads->copy_bytes)));
    if (const auto& shared = r.timing.shared_prefill)
      facts << tr("prefill steps shared with other requests: %1").arg(shared->context.steps + shared->question.steps);
    if (!r.miss_reason.empty()) facts << tr("miss: %1").arg(core_text(reason_text(r.miss_reason)));
    if (r.answer_tokens > 1) facts << tr("inter-token latency %1").arg(seconds_text(r.timing.mean_itl_seconds));
    if (const QString decoding = decoding_text(r.decoding); !decoding.isEmpty())
      facts << QString(decoding).replace('\n', QStringLiteral("; "));
    if (r.decoding.offload) facts << offload_text(*r.decoding.offload);
    if (r.decoding.speculation) facts << speculation_text(*r.decoding.speculation);
    html += QStringLiteral("<p style='margin:6px 0 0 0;color:%1'>%2</p>")
                .arg(theme_.muted.name(), facts.join(QStringLiteral("; ")).toHtmlEscaped());
  }
  const int scroll = detail_->verticalScrollBar()->value();
  detail_->setHtml(html);
  detail_->verticalScrollBar()->setValue(scroll);
}

}  // namespace kvantage
