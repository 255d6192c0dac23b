#include "ui/look/theme.h"

#include <QApplication>
#include <QChart>
#include <QFontMetrics>
#include <QPalette>
#include <QToolTip>
#include <QValueAxis>
#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "core/base/form_text.h"
#include "core/policy/policy_info.h"
#include "core/ports/tier_config.h"
#include "ui/look/method_look.h"
#include "ui/look/outlined_style.h"

namespace kvantage {
namespace {

Theme make_light() {
  Theme t;
  t.kind = ThemeKind::light;
  t.window = "#eceef2";
  t.panel = "#f7f8fa";
  t.base = "#ffffff";
  t.alternate = "#f4f6f9";
  t.text = "#1c2330";
  t.muted = "#5c6675";
  t.faint = "#7d8796";
  t.grid = "#e3e7ed";
  t.border = "#d0d6df";
  t.accent = "#3b5578";
  t.accent_text = "#ffffff";
  t.good = "#187a4e";
  t.warning = "#955806";
  t.error = "#c43131";
  t.lookup = "#6f798b";
  t.load = "#2f7fd6";
  t.unpack = "#209f91";
  t.context_prefill = "#d8524e";
  t.question_prefill = "#be8313";
  return t;
}

Theme make_dark() {
  Theme t;
  t.kind = ThemeKind::dark;
  t.window = "#17191e";
  t.panel = "#1e2127";
  t.base = "#22262d";
  t.alternate = "#272b33";
  t.text = "#dfe3ea";
  t.muted = "#9aa4b2";
  t.faint = "#6e7785";
  t.grid = "#31363f";
  t.border = "#3a404a";
  t.accent = "#8fb3dc";
  t.accent_text = "#0d1117";
  t.good = "#4cc38a";
  t.warning = "#e5a94d";
  t.error = "#f2706c";
  t.lookup = "#8490a3";
  t.load = "#5ba3f0";
  t.unpack = "#3cc4b8";
  t.context_prefill = "#ee7a76";
  t.question_prefill = "#eebc5a";
  return t;
}

// Okabe and Ito's qualitative palette, shifted so that each has 3 : 1 on its grounds and no two of these and of "not
// compressed" look alike without red, green or blue cones (tests/ui/look/palette_test.cpp).
constexpr std::array<const char*, 8> light_series = {"#2761ce", "#c2803c", "#209866", "#b2489b",
                                                     "#b54244", "#2398cd", "#88750f", "#7565fa"};
constexpr std::array<const char*, 8> dark_series = {"#67a2ff", "#dd984e", "#54c690", "#df81c9",
                                                    "#ee6570", "#64d2fc", "#dbc749", "#8a79d7"};

// Of policies: grayer, and darker or paler, than any method's, alone or with a codec, so that no policy
// is taken for a method.
constexpr std::array<const char*, 8> light_policies = {"#1a2026", "#664e38", "#2c5652", "#712a48",
                                                       "#4d2727", "#4e5762", "#50562e", "#3c3464"};
constexpr std::array<const char*, 8> dark_policies = {"#f4f5f8", "#d1bca6", "#b0dad4", "#d1a4b3",
                                                      "#e7c7c0", "#c4cbd5", "#dbdfb4", "#c8c4e3"};

// Of families: muted, as no method's is.
constexpr std::array<const char*, 8> light_families = {"#5f86a8", "#a07850", "#5c9076", "#96688c",
                                                       "#a66868", "#468a92", "#85823f", "#7a72a6"};
constexpr std::array<const char*, 8> dark_families = {"#9db8cf", "#cfae8c", "#96bfa8", "#c4a0bd",
                                                      "#d3a3a3", "#8dc0c6", "#bdba84", "#b3add3"};

// Of what has no hue: warm grays, so that none is taken for the gray of "not compressed". Neighbors are far apart.
constexpr std::array<const char*, 8> light_neutrals = {"#1f1a15", "#8c8379", "#574e45", "#736a60",
                                                       "#3b332c", "#80776d", "#2d2620", "#655c52"};
constexpr std::array<const char*, 8> dark_neutrals = {"#f2ece3", "#8f877c", "#c4bbae", "#a69d91",
                                                      "#ded6ca", "#999084", "#eae3d8", "#b5ac9f"};

QColor one_of(const Theme& theme, const std::array<const char*, 8>& light, const std::array<const char*, 8>& dark,
              std::size_t index) {
  const auto& colors = theme.kind == ThemeKind::light ? light : dark;
  return QColor(QString::fromLatin1(colors[index % colors.size()]));
}

std::size_t stable_hash(const QString& text) {
  std::size_t hash = 1469598103934665603u;
  for (const QChar c : text) hash = (hash ^ c.unicode()) * 1099511628211u;
  return hash;
}

/// Of the grays and dashes; nothing for what is no tier: prefill.
std::optional<std::size_t> tier_shade(const QString& name, std::optional<std::size_t> color) {
  constexpr std::size_t archive_shade = 6;
  const std::string known = name.toStdString();
  const TierRole role = role_of(known);
  if (role == TierRole::prefill) return std::nullopt;
  if (role == TierRole::archive) return archive_shade;
  if (const TierKind* kind_by_name = color ? nullptr : suggested_kind(known)) color = kind_by_name->color;
  return color ? *color : stable_hash(name);
}

QColor mix(const QColor& a, const QColor& b, double t) {
  const auto channel = [t](double x, double y) { return static_cast<float>(x * (1 - t) + y * t); };
  return QColor::fromRgbF(channel(a.redF(), b.redF()), channel(a.greenF(), b.greenF()), channel(a.blueF(), b.blueF()));
}

constexpr const char* sheet_template = R"(
QMainWindow, QDialog { background: @window; }
QMainWindow::separator { background: @window; width: 5px; height: 5px; }
QMainWindow::separator:hover { background: @accent; }
QDockWidget { color: @text; font-weight: 600; titlebar-close-icon: none; }
QDockWidget::title { background: @panel; padding: 5px 8px; border: 1px solid @border; border-bottom: none; }
QDockWidget > QWidget#dockBody { background: @panel; border: 1px solid @border; border-top: none; }
QTabBar::tab {
  background: transparent; color: @muted; padding: 5px 12px; border: none; border-bottom: 2px solid transparent;
}
QTabBar::tab:selected { color: @text; border-bottom: 2px solid @accent; }
QTabBar::tab:hover:!selected { color: @text; }
QTabWidget::pane { border: none; border-top: 1px solid @border; }
QTabBar { background: transparent; qproperty-drawBase: 0; }
QToolBar { background: @panel; border: none; border-bottom: 1px solid @border; padding: 3px 6px; spacing: 3px; }
QToolBar#modeBar { padding: 4px 1px; }
QToolBar#modeBar QToolButton { padding: 4px 1px; }
QToolBar::separator { background: @border; width: 1px; margin: 5px 5px; }
QToolButton {
  border: 1px solid transparent; border-radius: 5px; padding: 4px 7px; color: @text; background: transparent;
}
QToolButton[framed="true"] { background: @base; border-color: @border; }
QToolButton[popupMode="2"] { padding-right: 19px; }
QToolButton::menu-indicator { subcontrol-origin: padding; subcontrol-position: center right; right: 5px; }
QMessageBox QLabel#qt_msgbox_informativelabel { min-width: 340px; }
QFileDialog { min-width: 720px; min-height: 440px; }
QFileDialog QToolButton { padding: 3px; }
QToolButton:hover { background: @alternate; border-color: @border; }
QToolButton:pressed, QToolButton:checked { background: @alternate; border-color: @accent; }
QToolButton:focus { border-color: @accent; }
QToolButton:disabled { color: @faint; }
QMenuBar { background: @panel; color: @text; }
QMenuBar::item { padding: 4px 9px; background: transparent; border-radius: 4px; }
QMenuBar::item:selected { background: @alternate; }
QMenu { background: @base; color: @text; border: 1px solid @border; padding: 4px; }
QMenu::item { padding: 4px 22px 4px 20px; border-radius: 4px; }
QMenu::item:selected { background: @accent; color: @accent_text; }
QMenu::item:disabled { color: @faint; }
QMenu::separator { height: 1px; background: @border; margin: 4px 6px; }
QStatusBar { background: @panel; color: @muted; border-top: 1px solid @border; }
QStatusBar::item { border: none; }
QStatusBar QLabel { color: @muted; padding: 0 6px; }
QHeaderView { background: @panel; }
QHeaderView::section {
  background: @panel; color: @muted; padding: 4px 7px; border: none; border-right: 1px solid @grid;
  border-bottom: 1px solid @border; font-weight: 600;
}
QTableView, QTreeView, QListView, QPlainTextEdit, QTextEdit {
  background: @base; alternate-background-color: @alternate; color: @text; border: none; gridline-color: @grid;
  selection-background-color: @selection; selection-color: @text;
}
QTableView:focus, QTextEdit:focus, QPlainTextEdit:focus { border: none; }
QTableCornerButton::section { background: @panel; border: none; }
QScrollBar:vertical { background: transparent; width: 11px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 11px; margin: 0; }
QScrollBar::handle { background: @scroll; border-radius: 4px; margin: 2px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: @muted; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QScrollArea#dockScroll, QWidget#scrollBody { background: @panel; border: none; }
QWidget#dockBody { background: @panel; }
QGroupBox {
  border: none; border-top: 1px solid @border; margin-top: @half_title; padding-top: @half_title; font-weight: 600;
  color: @muted;
}
QGroupBox::title {
  subcontrol-origin: margin; subcontrol-position: top left; left: 0; padding-right: 7px; background: @panel;
}
QLabel[muted="true"] { color: @muted; }
QLabel[heading="true"] { font-weight: 600; }
QComboBox QAbstractItemView { background: @base; border: 1px solid @border; }
QComboBox QAbstractItemView::item { padding: 3px 4px; }
QToolTip { background: @base; color: @text; border: 1px solid @border; padding: 4px; }
QProgressBar { background: @grid; border: none; border-radius: 3px; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
QFrame#banner { border-radius: 5px; }
QFrame#banner[level="error"] { background: @error_ground; border: 1px solid @error; }
QFrame#banner[level="warning"] { background: @warning_ground; border: 1px solid @warning; }
QFrame#banner[level="info"] { background: @alternate; border: 1px solid @border; }
QFrame#chip { border-radius: 8px; }
QSplitter::handle { background: @border; }
)";

/// Color words of the sheet. Longer words come first, so that @accent does not replace a part of @accent_text.
std::vector<std::pair<QString, QColor>> sheet_colors(const Theme& t) {
  std::vector<std::pair<QString, QColor>> words = {{"@window", t.window},
                                                   {"@panel", t.panel},
                                                   {"@base", t.base},
                                                   {"@alternate", t.alternate},
                                                   {"@text", t.text},
                                                   {"@muted", t.muted},
                                                   {"@faint", t.faint},
                                                   {"@grid", t.grid},
                                                   {"@border", t.border},
                                                   {"@accent_text", t.accent_text},
                                                   {"@accent", t.accent},
                                                   {"@selection", mix(t.base, t.accent, 0.28)},
                                                   {"@scroll", mix(t.panel, t.muted, 0.4)},
                                                   {"@error_ground", mix(t.panel, t.error, 0.16)},
                                                   {"@warning_ground", mix(t.panel, t.warning, 0.16)},
                                                   {"@error", t.error},
                                                   {"@warning", t.warning}};
  std::stable_sort(words.begin(), words.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  return words;
}

QString style_sheet(const Theme& t) {
  QString sheet = QString::fromLatin1(sheet_template);
  // In pixels: Qt resolves "em" once and keeps the size of the previous font.
  sheet.replace(QStringLiteral("@half_title"),
                QStringLiteral("%1px").arg(qRound(0.7 * QFontMetrics(QApplication::font()).height())));
  for (const auto& [word, color] : sheet_colors(t)) sheet.replace(word, color.name());
  return sheet;
}

}  // namespace

QColor Theme::series(std::size_t index) const { return one_of(*this, light_series, dark_series, index); }

QColor Theme::neutral(std::size_t index) const { return one_of(*this, light_neutrals, dark_neutrals, index); }

QList<qreal> line_dashes(std::size_t index) {
  static const std::array<QList<qreal>, 8> all{
      {{}, {4, 2.5}, {1, 1.8}, {5, 1.8, 1, 1.8}, {2.2, 1.4}, {7, 2}, {5, 1.6, 1, 1.6, 1, 1.6}, {3, 1.4, 3, 4}}};
  return all[index % all.size()];
}

QColor Theme::method(const QString& text_form) const {
  if (text_form == "none") return kind == ThemeKind::light ? QColor("#7f8ea3") : QColor("#8491a4");
  const MethodLook look = method_look(text_form);
  if (look.shade <= 0) return series(look.hue);
  return mix(series(look.hue), QColor(kind == ThemeKind::light ? Qt::black : Qt::white), look.shade);
}

QColor Theme::tier(const QString& name, std::optional<std::size_t> color) const {
  const auto shade = tier_shade(name, color);
  return shade ? neutral(*shade) : context_prefill;
}

QList<qreal> Theme::tier_dashes(const QString& name, std::optional<std::size_t> color) const {
  const auto shade = tier_shade(name, color);
  return shade ? line_dashes(*shade) : QList<qreal>();
}

QColor Theme::policy(const QString& text_form) const {
  const std::string form_text = text_form.toStdString();
  const PolicyInfo* info = find_policy_info(FormText::name_of(form_text));
  if (info != nullptr && !info->traits.stores) return context_prefill;
  if (const auto form = FormText::read(form_text, "policy");
      info != nullptr && info->traits.has_color_of_method && form && !form->arguments().empty())
    return method(QString::fromStdString(std::string(form->arguments().front().value)));
  const OfferedPolicy* offered = find_offered_policy(form_text);
  const auto& colors = kind == ThemeKind::light ? light_policies : dark_policies;
  const std::size_t index = offered != nullptr ? offered->color : stable_hash(text_form);
  return QColor(QString::fromLatin1(colors[index % colors.size()]));
}

QColor Theme::family(const QString& name) const {
  static const std::map<QString, std::size_t> known = {{"needle", 0}, {"inventory", 1}, {"meeting", 2}, {"registry", 6},
                                                       {"news", 3},   {"story", 4},     {"fewshot", 5}, {"config", 7}};
  const auto found = known.find(name);
  return one_of(*this, light_families, dark_families, found != known.end() ? found->second : stable_hash(name));
}

QColor Theme::heat(double drop) const {
  // A short ramp from the ground through amber to deep red-violet; brightness alone already orders it.
  const QColor stops[] = {kind == ThemeKind::light ? QColor("#f3f6f4") : QColor("#2a3038"), QColor("#f4cf83"),
                          QColor("#e0803a"), QColor("#a82a4a"), QColor("#4b1550")};
  const QColor dark_stops[] = {QColor("#2a3038"), QColor("#3f4f86"), QColor("#8a52a6"), QColor("#e0705a"),
                               QColor("#ffe08a")};
  const QColor* ramp = kind == ThemeKind::light ? stops : dark_stops;
  const double at = std::clamp(drop, 0.0, 1.0) * 4;
  const int index = std::min(3, static_cast<int>(at));
  return mix(ramp[index], ramp[index + 1], at - index);
}

const Theme& theme_of(ThemeKind kind) {
  static const Theme light = make_light(), dark = make_dark();
  return kind == ThemeKind::light ? light : dark;
}

namespace {

void set_style_and_palette(QApplication& application, const Theme& t) {
  const ThemeKind kind = t.kind;
  application.setStyle(new OutlinedStyle(t.faint));
  QPalette palette;
  palette.setColor(QPalette::Window, t.panel);
  palette.setColor(QPalette::WindowText, t.text);
  palette.setColor(QPalette::Base, t.base);
  palette.setColor(QPalette::AlternateBase, t.alternate);
  palette.setColor(QPalette::Text, t.text);
  palette.setColor(QPalette::Button, kind == ThemeKind::light ? t.base : t.alternate);
  palette.setColor(QPalette::ButtonText, t.text);
  palette.setColor(QPalette::BrightText, t.error);
  palette.setColor(QPalette::ToolTipBase, t.base);
  palette.setColor(QPalette::ToolTipText, t.text);
  palette.setColor(QPalette::PlaceholderText, t.muted);
  palette.setColor(QPalette::Highlight, t.accent);
  palette.setColor(QPalette::HighlightedText, t.accent_text);
  palette.setColor(QPalette::Link, t.accent);
  palette.setColor(QPalette::Mid, t.border);
  palette.setColor(QPalette::Midlight, t.grid);
  palette.setColor(QPalette::Dark, kind == ThemeKind::light ? t.faint : t.window);
  palette.setColor(QPalette::Light, kind == ThemeKind::light ? QColor(Qt::white) : t.border);
  for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, t.faint);
  palette.setColor(QPalette::Disabled, QPalette::Highlight, t.border);
  application.setPalette(palette);
  QToolTip::setPalette(palette);
}

}  // namespace

void apply_theme(QApplication& application, ThemeKind kind) {
  // Style, palette and sheet each restyle all widgets: new widgets need none of it, another font only the sheet.
  static std::optional<ThemeKind> applied;
  static QFont font;
  const bool has_theme = applied == kind && !application.styleSheet().isEmpty();
  if (has_theme && font == QApplication::font()) return;
  const Theme& t = theme_of(kind);
  if (!has_theme) set_style_and_palette(application, t);
  applied = kind;
  font = QApplication::font();
  application.setStyleSheet(style_sheet(t));
}

void style_chart(QChart& chart, const Theme& t) {
  // The built-in theme first: setting it later would overwrite what follows.
  const QChart::ChartTheme wanted = t.kind == ThemeKind::light ? QChart::ChartThemeLight : QChart::ChartThemeDark;
  if (chart.theme() != wanted) chart.setTheme(wanted);
  chart.setBackgroundVisible(true);
  chart.setBackgroundBrush(t.base);
  chart.setBackgroundPen(Qt::NoPen);
  chart.setBackgroundRoundness(0);
  chart.setPlotAreaBackgroundVisible(false);
  chart.setDropShadowEnabled(false);
  chart.setAnimationOptions(QChart::NoAnimation);
  QFont label_font = QApplication::font();
  label_font.setPointSizeF(label_font.pointSizeF() * 0.88);
  QFont title_font = label_font;
  title_font.setWeight(QFont::DemiBold);
  const auto axes = chart.axes();
  for (QAbstractAxis* axis : axes) {
    axis->setLabelsFont(label_font);
    axis->setTitleFont(title_font);
    axis->setLabelsColor(t.muted);
    axis->setTitleBrush(t.muted);
    axis->setGridLinePen(QPen(t.grid, 1));
    axis->setLinePen(QPen(t.border, 1));
    axis->setMinorGridLineVisible(false);
    axis->setShadesVisible(false);
  }
}

}  // namespace kvantage
