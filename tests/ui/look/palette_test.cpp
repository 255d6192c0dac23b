// links: kv_ui core_compress core_kv_codecs
// The colors of both themes. Contrast (WCAG 2, AA): 4.5 for what text is written in, 3 for lines, bars and marks.
// Distinction: two colors of one chart differ by CIEDE2000 8 or more for everybody, also without red, green or blue
// cones, or what they paint also differs by dashes or by strokes inside its markers.
#include "ui/look/theme.h"

#include <QtTest>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/compress/method.h"
#include "core/kv/codecs/codec.h"
#include "core/policy/policy_info.h"
#include "core/ports/decode_eviction.h"
#include "tests/support/test_program.h"
#include "tests/ui/look/color_sight.h"
#include "ui/look/method_look.h"
#include "ui/look/provenance_look.h"
#include "ui/tokens/token_map.h"

namespace palette_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

constexpr double text_contrast = 4.5, graphics_contrast = 3, least_apart = 8, just_seen = 1;
constexpr const char* families[] = {"needle", "inventory", "meeting", "registry", "news", "story", "fewshot", "config"};
constexpr std::size_t hues = 8, run_hues = 12, chart_runs = 8;

struct Look {
  QString name;
  QColor color;
  QString sign = {};  // what distinguishes it beside its color; empty: nothing
};

QString dashes_text(const QList<qreal>& dashes) {
  QString text(QStringLiteral("dashes"));
  for (const qreal part : dashes) text += QStringLiteral(" %1").arg(part);
  return text;
}

/// Of scorers, codecs and decode-time methods, each once; "none" first.
QStringList plain_methods() {
  QStringList names{"none"};
  for (const auto& infos : {known_methods(), weight_methods()})
    for (const MethodInfo& info : infos) names << QString::fromStdString(info.name);
  for (const CodecInfo& info : known_codecs()) names << QString::fromLatin1(info.name.data(), std::ssize(info.name));
  for (const DecodeMethodInfo& info : decode_methods())
    names << QString::fromLatin1(info.name.data(), std::ssize(info.name));
  names.removeDuplicates();
  return names;
}

/// With them a scorer in each budget and wrapper, as the window offers it.
QStringList registered_methods() {
  QStringList names = plain_methods();
  for (const BudgetInfo& info : known_budgets()) names << QString::fromStdString(info.name + "(snapkv)");
  return names;
}

std::vector<Look> method_looks(const Theme& theme) {
  std::vector<Look> looks;
  for (const QString& name : registered_methods())
    looks.push_back({name, theme.method(name),
                     QStringLiteral("%1 strokes %2").arg(dashes_text(method_dashes(name))).arg(method_strokes(name))});
  return looks;
}

/// What is seen of a color over another one.
QColor over(const QColor& ground, const QColor& color) {
  const auto channel = [&](float under, float above) { return under + (above - under) * color.alphaF(); };
  return QColor::fromRgbF(channel(ground.redF(), color.redF()), channel(ground.greenF(), color.greenF()),
                          channel(ground.blueF(), color.blueF()));
}

std::vector<Look> policy_looks(const Theme& theme) {
  std::vector<Look> looks;
  for (const PolicyInfo& info : policy_infos())
    for (const OfferedPolicy& offered : info.offers) {
      const QString text = QString::fromStdString(offered.text);
      looks.push_back({text, theme.policy(text), QString::number(policy_strokes(text))});
    }
  return looks;
}

std::vector<Look> run_looks(const Theme& theme, std::size_t count) {
  std::vector<Look> looks;
  for (std::size_t i = 0; i < count; ++i)
    looks.push_back({QStringLiteral("run %1").arg(i), theme.run(i), dashes_text(run_dashes(i))});
  return looks;
}

std::vector<Look> neutral_looks(const Theme& theme) {
  std::vector<Look> looks;
  for (std::size_t i = 0; i < hues; ++i)
    looks.push_back({QStringLiteral("gray %1").arg(i), theme.neutral(i), dashes_text(line_dashes(i))});
  return looks;
}

/// Curves of families have the dashes of their place.
std::vector<Look> family_looks(const Theme& theme) {
  std::vector<Look> looks;
  for (const char* name : families) looks.push_back({name, theme.family(name), dashes_text(line_dashes(looks.size()))});
  return looks;
}

std::vector<Look> time_looks(const Theme& theme) {
  return {{"lookup", theme.lookup},
          {"load", theme.load},
          {"unpack", theme.unpack},
          {"context prefill", theme.context_prefill},
          {"question prefill", theme.question_prefill}};
}

QString theme_name(ThemeKind kind) {
  return kind == ThemeKind::light ? QStringLiteral("light") : QStringLiteral("dark");
}

/// What two looks of one chart are taken for one another.
QStringList alike(const std::vector<Look>& looks) {
  QStringList found;
  for (std::size_t i = 0; i < looks.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (looks[i].sign != looks[j].sign) continue;
      const double apart = least_difference(looks[i].color, looks[j].color);
      if (apart < least_apart)
        found << QStringLiteral("%1 and %2: %3").arg(looks[j].name, looks[i].name).arg(apart, 0, 'f', 2);
    }
  return found;
}

}  // namespace

class PaletteTest : public QObject {
  Q_OBJECT
 private slots:
  // Of the test data that Sharma, Wu and Dalal published, by the number of the pair.
  void theDifferenceIsThatOfPublishedPairs_data() {
    QTest::addColumn<QList<double>>("pair");
    QTest::addColumn<double>("published");
    QTest::newRow("1") << QList<double>{50, 2.6772, -79.7751, 50, 0, -82.7485} << 2.0425;
    QTest::newRow("2") << QList<double>{50, 3.1571, -77.2803, 50, 0, -82.7485} << 2.8615;
    QTest::newRow("3") << QList<double>{50, 2.8361, -74.0200, 50, 0, -82.7485} << 3.4412;
    QTest::newRow("4") << QList<double>{50, -1.3802, -84.2814, 50, 0, -82.7485} << 1.0;
    QTest::newRow("7") << QList<double>{50, 0, 0, 50, -1, 2} << 2.3669;
    QTest::newRow("9") << QList<double>{50, 2.4900, -0.0010, 50, -2.4900, 0.0009} << 7.1792;
    QTest::newRow("13") << QList<double>{50, -0.0010, 2.4900, 50, 0.0009, -2.4900} << 4.8045;
    QTest::newRow("17") << QList<double>{50, 2.5, 0, 73, 25, -18} << 27.1492;
    QTest::newRow("18") << QList<double>{50, 2.5, 0, 61, -5, 29} << 22.8977;
    QTest::newRow("19") << QList<double>{50, 2.5, 0, 56, -27, -3} << 31.9030;
    QTest::newRow("25") << QList<double>{60.2574, -34.0099, 36.2677, 60.4626, -34.1751, 39.4387} << 1.2644;
    QTest::newRow("33") << QList<double>{6.7747, -0.2908, -2.4247, 5.8714, -0.0985, -2.2286} << 0.6377;
    QTest::newRow("34") << QList<double>{2.0776, 0.0795, -1.1350, 0.9033, -0.0636, -0.5514} << 0.9082;
  }
  void theDifferenceIsThatOfPublishedPairs() {
    QFETCH(QList<double>, pair);
    QFETCH(double, published);
    const Lab one{pair[0], pair[1], pair[2]}, other{pair[3], pair[4], pair[5]};
    QVERIFY2(std::fabs(ciede2000(one, other) - published) < 5e-5, qPrintable(QString::number(ciede2000(one, other))));
    QVERIFY(std::fabs(ciede2000(other, one) - published) < 5e-5);
  }

  void theMeasuresSayWhatIsKnown() {
    QVERIFY(std::fabs(contrast_ratio(Qt::white, Qt::black) - 21) < 1e-9);
    QVERIFY(std::fabs(contrast_ratio("#767676", Qt::white) - 4.54) < 0.01);  // the palest gray for text on white
    const Lab white = lab_of(linear_of(Qt::white));
    QVERIFY(std::fabs(white.lightness - 100) < 1e-3 && std::hypot(white.a, white.b) < 1e-2);
    for (const Sight sight : all_sights)  // grays stay gray
      for (const char* gray : {"#000000", "#808080", "#ffffff"})
        QVERIFY(ciede2000(lab_of(seen(linear_of(gray), sight)), lab_of(linear_of(gray))) < 0.01);
    // Red and olive without green cones, blue and violet without red ones; pink and pale blue without blue ones.
    QVERIFY(difference("#c43a3a", "#8a7a14", Sight::normal) > 25 &&
            difference("#c43a3a", "#8a7a14", Sight::without_green) < least_apart);
    QVERIFY(difference("#2563d9", "#6c5ac8", Sight::normal) > least_apart &&
            difference("#2563d9", "#6c5ac8", Sight::without_red) < least_apart);
    QVERIFY(difference("#1f9d6b", "#3a9fc4", Sight::normal) > 15 &&
            difference("#1f9d6b", "#3a9fc4", Sight::without_blue) < least_apart);
    QCOMPARE(alike({{"red", "#c43a3a"}, {"olive", "#8a7a14"}, {"blue", "#2563d9"}}).size(), 1);
    QVERIFY(alike({{"red", "#c43a3a", "a"}, {"olive", "#8a7a14", "b"}}).isEmpty());
  }

  void textHasContrast() {
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
      const Theme& theme = theme_of(kind);
      for (const QColor& ground : {theme.window, theme.panel, theme.base, theme.alternate}) {
        const std::vector<Look> written{{"text", theme.text}, {"muted", theme.muted},     {"accent", theme.accent},
                                        {"good", theme.good}, {"warning", theme.warning}, {"error", theme.error}};
        for (const Look& look : written)
          QVERIFY2(contrast_ratio(look.color, ground) >= text_contrast,
                   qPrintable(QStringLiteral("%1: %2 on %3").arg(theme_name(kind), look.name, ground.name())));
        // Icons and words of what is disabled, which need no contrast for text.
        QVERIFY2(contrast_ratio(theme.faint, ground) >= graphics_contrast,
                 qPrintable(theme_name(kind) + ": faint on " + ground.name()));
      }
      QVERIFY(contrast_ratio(theme.accent_text, theme.accent) >= text_contrast);
    }
  }

  // Text of a context is written on how much of each token is kept, and names of runs in the colors of runs.
  void textOnTokensAndNamesOfRunsHaveContrast() {
    constexpr int steps = 20;
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
      const Theme& theme = theme_of(kind);
      QColor veil = theme.base;  // over the heads that are not chosen
      veil.setAlphaF(0.55f);
      double last = 21;
      for (int step = 0; step <= steps; ++step) {
        const QColor ground = over(theme.base, TokenMap::ground(theme, static_cast<float>(step) / steps));
        const double ratio = contrast_ratio(theme.text, ground);
        QVERIFY2(ratio >= text_contrast && contrast_ratio(theme.text, over(ground, veil)) >= text_contrast,
                 qPrintable(QStringLiteral("%1: weight %2 / %3, %4 : 1")
                                .arg(theme_name(kind))
                                .arg(step)
                                .arg(steps)
                                .arg(ratio, 0, 'f', 2)));
        QVERIFY2(step == 0 || ratio < last, "each weight has a ground of its own");
        last = ratio;
      }
      for (const Look& run : run_looks(theme, run_hues))
        for (const QColor& ground : {theme.base, theme.alternate, theme.panel})
          QVERIFY2(contrast_ratio(run.color, ground) >= text_contrast,
                   qPrintable(QStringLiteral("%1: %2 is %3 on %4, %5 : 1")
                                  .arg(theme_name(kind), run.name, run.color.name(), ground.name())
                                  .arg(contrast_ratio(run.color, ground), 0, 'f', 2)));
    }
  }

  // Eight hues are fewer than there are methods: dashes distinguish those of one hue, in any chart of curves.
  void noTwoMethodsShareHueAndDashes() {
    std::map<std::pair<std::size_t, std::size_t>, QString> plain;
    std::map<std::tuple<std::size_t, std::size_t, unsigned>, QString> all;
    const QStringList names = plain_methods();
    QVERIFY(names.size() > 35);
    for (const QString& name : registered_methods()) {
      if (name == "none") continue;  // a gray
      const MethodLook look = method_look(name);
      const auto other = all.emplace(std::tuple(look.hue, look.dashes, look.strokes), name);
      QVERIFY2(other.second, qPrintable(name + " looks like " + other.first->second));
      if (!names.contains(name)) continue;
      const auto same_line = plain.emplace(std::pair(look.hue, look.dashes), name);
      QVERIFY2(same_line.second, qPrintable(name + " has the lines of " + same_line.first->second));
    }
    for (const char* one : {"adakv(snapkv)", "snapkv(window=32)", "chunk(adakv(snapkv(window=32),safeguard=30))"}) {
      const MethodLook look = method_look(one), inner = method_look("snapkv");
      QVERIFY2(look.hue == inner.hue && look.dashes != inner.dashes && look.strokes != inner.strokes, one);
    }
    QVERIFY(method_look("of_a_file").dashes >= 5);  // no registered one has its lines
  }

  void everyCodecHasAShade() {
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
      const Theme& theme = theme_of(kind);
      for (const char* scorer : {"snapkv", "keydiff", "knorm", "random"}) {
        std::vector<Look> shades{{scorer, theme.method(scorer)}};
        for (const CodecInfo& codec : known_codecs()) {
          if (codec.name == "bf16") continue;  // as it is
          const QString text = QStringLiteral("%1+%2").arg(scorer, codec.name.data());
          QCOMPARE(method_look(text).hue, method_look(scorer).hue);
          for (const Look& other : shades)
            QVERIFY2(difference(theme.method(text), other.color, Sight::normal) >= just_seen,
                     qPrintable(theme_name(kind) + ": " + text + " and " + other.name));
          shades.push_back({text, theme.method(text)});
        }
      }
    }
  }

  void whatIsDrawnHasContrast() {
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
      const Theme& theme = theme_of(kind);
      std::vector<Look> drawn = method_looks(theme);
      for (const char* scorer : {"keydiff", "knorm", "snapkv", "streaming_llm", "h2o", "adakv(kvzip)"})
        for (const CodecInfo& codec : known_codecs()) {
          const QString combination = QStringLiteral("%1+%2").arg(scorer, codec.name.data());
          drawn.push_back({combination, theme.method(combination)});
        }
      for (const auto& more : {policy_looks(theme), run_looks(theme, run_hues), neutral_looks(theme),
                               family_looks(theme), time_looks(theme)})
        drawn.insert(drawn.end(), more.begin(), more.end());
      for (const char* tier : {"device", "dram", "ssd", "remote", "archive", "prefill"})
        drawn.push_back({tier, theme.tier(tier)});
      for (std::size_t i = 0; i < hues; ++i) drawn.push_back({QStringLiteral("series %1").arg(i), theme.series(i)});
      // Charts and cells of tables, every second row of these, and legends and menus beside them.
      for (const QColor& ground : {theme.base, theme.alternate, theme.panel})
        for (const Look& look : drawn)
          QVERIFY2(contrast_ratio(look.color, ground) >= graphics_contrast,
                   qPrintable(QStringLiteral("%1: %2 is %3 on %4, %5 : 1")
                                  .arg(theme_name(kind), look.name, look.color.name(), ground.name())
                                  .arg(contrast_ratio(look.color, ground), 0, 'f', 2)));
    }
  }

  void noTwoOfAChartAreTakenForOneAnother() {
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
      const Theme& theme = theme_of(kind);
      for (const auto& chart : {method_looks(theme), policy_looks(theme), run_looks(theme, chart_runs),
                                neutral_looks(theme), family_looks(theme), time_looks(theme)}) {
        QVERIFY(chart.size() >= 5);
        const QStringList found = alike(chart);
        QVERIFY2(found.isEmpty(), qPrintable(theme_name(kind) + ": " + found.join("; ")));
      }
    }
  }

  // What the rule of distinction leans on.
  void dashesAreDifferent() {
    std::set<QString> lines, runs;
    for (std::size_t i = 0; i < hues; ++i) lines.insert(dashes_text(line_dashes(i)));
    for (std::size_t i = 0; i < chart_runs; ++i) runs.insert(dashes_text(run_dashes(i)));
    QCOMPARE(lines.size(), hues);
    QCOMPARE(runs.size(), chart_runs);
  }

  // A heat map is read by brightness alone.
  void theHeatScaleOnlyGetsStronger() {
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
      const Theme& theme = theme_of(kind);
      for (int step = 0; step < 40; ++step) {
        const double before = luminance_of(theme.heat(step / 40.0)),
                     after = luminance_of(theme.heat((step + 1) / 40.0));
        QVERIFY2(kind == ThemeKind::light ? after < before : after > before,
                 qPrintable(QStringLiteral("%1, %2").arg(theme_name(kind)).arg(step)));
      }
    }
  }
};

KV_TEST_GUILESS_MAIN(PaletteTest)

}  // namespace palette_test

#include "palette_test.moc"
