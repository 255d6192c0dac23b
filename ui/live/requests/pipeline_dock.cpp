#include "ui/live/requests/pipeline_dock.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <set>

#include "ui/text/words.h"
#include "ui/widgets/plain_label.h"

namespace kvantage {
namespace {

constexpr int refresh_ms = 250;  // the latest request of many a second: readable, not a flicker

}  // namespace

PipelineDock::PipelineDock(RunModel& run, const SpanSource* source, QWidget* parent)
    : QWidget(parent),
      run_(run),
      model_(run, source),
      theme_(theme_of(ThemeKind::light)),
      pages_(new QStackedWidget),
      empty_(plain_label()),
      title_(plain_label()),
      summary_(plain_label()),
      told_(plain_label()),
      view_(new PipelineView(model_)),
      legend_(new LegendStrip) {
  setObjectName("dockBody");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 5, 0, 0);
  column->addWidget(pages_);
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setMargin(20);
  empty_->setProperty("muted", true);
  pages_->addWidget(empty_);
  pages_->addWidget(make_page());
  lazy_ = new LazyRefresh(
      *this, [this] { model_.refresh(); }, refresh_ms);
  connect(&model_, &PipelineModel::changed, this, &PipelineDock::show_model);
  connect(&run_, &RunModel::servedChanged, this, [this] { lazy_->invalidate(); });
  connect(&run_, &RunModel::rebuilt, this, [this] { lazy_->invalidate(); });
  connect(&run_, &RunModel::runStarted, this, [this] { lazy_->invalidate(); });
  connect(&run_, &RunModel::stateChanged, this, [this] { lazy_->invalidate(); });
  connect(&run_.selection, &Selection::requestChanged, this, [this] { lazy_->invalidate(); });
  connect(&run_.selection, &Selection::contextChanged, this, [this] { lazy_->invalidate(); });
  show_model();
}

QWidget* PipelineDock::make_page() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(8, 0, 8, 5);
  column->setSpacing(3);
  auto* row = new QHBoxLayout;
  title_->setProperty("heading", true);
  title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  title_->setAccessibleName(tr("Request shown"));
  row->addWidget(title_, 1);
  const auto button = [row](const QString& text, const QString& tip) {
    auto* made = new QToolButton;
    made->setText(text);
    made->setToolTip(tip);
    made->setAccessibleName(text);
    made->setFocusPolicy(Qt::TabFocus);
    made->setProperty("framed", true);
    row->addWidget(made);
    return made;
  };
  first_token_ = button(tr("To first token"), tr("Show the time up to the first answer token"));
  whole_ = button(tr("Whole request"), tr("Show the time up to the last answer token"));
  latest_ = button(tr("Follow latest"), tr("Clear the selection and follow the latest request"));
  connect(first_token_, &QToolButton::clicked, view_, &PipelineView::show_first_token);
  connect(whole_, &QToolButton::clicked, view_, &PipelineView::show_whole);
  connect(latest_, &QToolButton::clicked, this, [this] { run_.selection.choose_context({}); });
  column->addLayout(row);
  column->addWidget(view_, 1);
  told_->setAccessibleName(tr("Span under the pointer or cursor"));
  told_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  told_->setText(QStringLiteral(" "));
  column->addWidget(told_);
  summary_->setProperty("muted", true);
  summary_->setWordWrap(true);
  summary_->setAccessibleName(tr("TTFT breakdown"));
  column->addWidget(summary_);
  column->addWidget(legend_);
  connect(view_, &PipelineView::told, this, [this](const QString& text) {
    told_->setText(text.isEmpty() ? QStringLiteral(" ") : text);
    told_->setToolTip(text);
  });
  install_chart_menu(*view_, {view_, tr("Pipeline"), [this] { return table(); }});
  return page;
}

// The legend names what this request did, and nothing that no request can do.
void PipelineDock::show_model() {
  pages_->setCurrentIndex(model_.spans() != nullptr ? 1 : 0);
  empty_->setText(model_.empty_text());
  title_->setText(model_.title());
  title_->setToolTip(model_.title());
  summary_->setText(model_.summary());
  told_->setText(QStringLiteral(" "));
  latest_->setEnabled(!run_.selection.context().isEmpty());
  std::set<RequestSpan::Kind> seen;
  if (model_.spans() != nullptr)
    for (const RequestSpan& span : model_.spans()->spans) seen.insert(span.kind);
  std::vector<LegendItem> items;
  for (const RequestSpan::Kind kind : seen) {
    LegendItem item;
    item.text = PipelineModel::kind_name(kind);
    item.tip = PipelineModel::lane_tip(PipelineModel::lane_of(kind));
    item.sign = kind == RequestSpan::Kind::wait || kind == RequestSpan::Kind::queue ? LegendItem::Sign::hatched
                                                                                    : LegendItem::Sign::swatch;
    item.color = PipelineView::color(theme_, kind);
    items.push_back(item);
  }
  legend_->set_items(std::move(items));
}

ChartTable PipelineDock::table() const {
  ChartTable table{model_.table_header(), {}};
  for (const QStringList& row : model_.table_rows()) table.rows.append(row);
  return table;
}

void PipelineDock::set_theme(const Theme& theme) {
  theme_ = theme;
  view_->set_theme(theme);
  legend_->set_theme(theme);
  show_model();
}

}  // namespace kvantage
