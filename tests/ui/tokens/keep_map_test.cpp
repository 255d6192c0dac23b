// links: kv_ui
// The keep map over a scripted inspector: sums, words on hover, one request per frame, differences marked, nothing
// asked for while nobody looks.
#include "ui/tokens/keep_map_dock.h"

#include <QElapsedTimer>
#include <QMouseEvent>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>

#include "tests/support/test_program.h"
#include "tests/ui/tokens/shown_keep_map.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/text/text_difference.h"
#include "ui/text/words.h"

namespace keep_map_test {

using namespace kvantage;

class KeepMapTest : public QObject {
  Q_OBJECT

 private slots:
  void itSaysWhatToDoFirst() {
    ScriptedSession session;
    RunModel run(session);
    KeepMapDock without(run, nullptr);
    QVERIFY(without.empty_text().contains("No engine"));
    Shown shown;
    shown.dock.flush();
    QVERIFY(shown.dock.empty_text().contains("Select a context"));
    QVERIFY(shown.inspector.requests.empty());
    shown.choose(0);
    QVERIFY(shown.dock.empty_text().isEmpty());
  }

  void sharesAreOverTheChosenHeads() {
    Shown shown;
    shown.choose(0);
    KeepMapModel& model = shown.dock.model();
    model.set_removed_fraction(0.5);
    shown.settle();
    const ScriptedInspector& inspector = shown.inspector;
    for (const int layer : {KeepMapModel::all, 0, 2})
      for (const int head : {KeepMapModel::all, 0, 1}) {
        model.set_view(layer, head);
        for (std::size_t t = 0; t < 12; ++t) {
          int kept = 0, of = 0;
          double score = 0;
          for (int l = 0; l < ScriptedInspector::layers; ++l)
            for (int h = 0; h < ScriptedInspector::kv_heads; ++h) {
              if ((layer >= 0 && l != layer) || (head >= 0 && h != head)) continue;
              ++of;
              kept += t < inspector.kept_of(l, h, 0.5);
              score += static_cast<double>(ScriptedInspector::score_of(l, h, t));
            }
          QCOMPARE(model.summed_heads(), of);
          QVERIFY(std::abs(static_cast<double>(model.kept_shares(0)[t]) - double(kept) / of) < 1e-6);
          QVERIFY(std::abs(static_cast<double>(model.scores(0)[t]) - score / of) < 1e-3);
          QVERIFY2(model.hover_text(0, t).contains(QStringLiteral("kept in %1 of %2").arg(kept).arg(of)),
                   qPrintable(model.hover_text(0, t)));
        }
      }
    QVERIFY(model.hover_text(0, 1).contains(QStringLiteral("“␣brass”, position 1")));
    QVERIFY(model.hover_text(0, 9).contains(QStringLiteral("↵")));
    QCOMPARE(model.kept_share_of(0, 1, 0), 4.0 / 12);
  }

  void theTableHasARowForEachToken() {
    Shown shown;
    shown.choose(0);
    shown.dock.model().set_methods({"knorm", "snapkv"});
    shown.dock.model().set_removed_fraction(0.5);
    shown.settle();
    const ChartTable table = shown.dock.table();
    QCOMPARE(table.rows.size(), 12);
    QCOMPARE(table.header.size(), 8);
    QCOMPARE(table.header[2], QString("knorm_kept_heads"));
    QCOMPARE(table.header[7], QString("snapkv_score"));
    const QStringList first{"0", "The", "6", "1", "99.375", "6", "1", "99.375"};
    QCOMPARE(table.rows[0], first);
    QVERIFY(table.to_csv().contains("\".\n\""));  // a token with a line break is quoted
  }

  // There is no fraction to choose where no method removes tokens.
  // The first look shows tokens go: the first candidate that removes some, unless the context is stored otherwise.
  void itBeginsWithAMethodThatRemovesTokens() {
    Shown shown;
    SessionSettings settings = shown.session.settings();
    settings.methods.insert(settings.methods.begin(), "kivi4");
    (void)shown.session.apply(settings);
    shown.choose(0);
    const auto snapshot = shown.run.snapshot();
    QVERIFY(!snapshot->contexts[0].placement.stored());
    const QString first = shown.dock.model().methods().value(0);
    QVERIFY(shown.dock.model().known_methods().front() == "kivi4");
    QCOMPARE(first, shown.dock.model().known_methods().at(1));
  }

  void aCodecHasNoFraction() {
    Shown shown;
    shown.choose(0);
    QVERIFY(shown.dock.fraction().isEnabled());
    shown.inspector.encodes = true;
    shown.dock.model().set_methods({"snapkv"});
    shown.settle();
    QVERIFY(shown.dock.model().only_encodes());
    QVERIFY(!shown.dock.fraction().isEnabled());
    shown.inspector.encodes = false;
    shown.dock.model().set_methods({"knorm"});
    shown.settle();
    QVERIFY(shown.dock.fraction().isEnabled());
    shown.dock.model().set_removed_fraction(0);  // nothing is removed because nothing was asked for
    shown.settle();
    QVERIFY(shown.dock.fraction().isEnabled());
  }

  // A hand that moves asks once per frame, and for where it is then.
  void movingAsksOnceAFrame() {
    Shown shown;
    shown.choose(0);
    const std::size_t before = shown.inspector.requests.size();
    QElapsedTimer clock;
    clock.start();
    for (int i = 0; i <= 150; ++i) shown.dock.fraction().setValue(i);
    QCOMPARE(shown.inspector.requests.size(), before);  // nothing yet: the hand is never held
    shown.settle();
    QCOMPARE(shown.inspector.requests.size(), before + 1);
    QCOMPARE(shown.inspector.requests.back().removed_fraction, 0.75);
    QCOMPARE(shown.dock.model().shown()->forms[0].removed_fraction, 0.75);
    QVERIFY(shown.dock.model().form_text(0).contains("16.0 KiB of 64.0 KiB"));
  }

  void anOlderResultIsShownUntilANewerComes() {
    Shown shown;
    shown.choose(0);
    KeepMapModel& model = shown.dock.model();
    shown.inspector.at_once = false;
    const auto asked = [&](double fraction) {
      model.set_removed_fraction(fraction);
      const std::size_t count = shown.inspector.requests.size();
      return QTest::qWaitFor([&] { return shown.inspector.requests.size() > count; }, 5000);
    };
    QVERIFY(asked(0.2) && asked(0.4) && asked(0.6));
    const std::uint64_t newest = shown.inspector.requests.size();
    shown.inspector.answer(newest - 1, false);
    QVERIFY(QTest::qWaitFor([&] { return model.shown()->forms[0].removed_fraction == 0.4; }, 5000));
    QVERIFY(!model.complete());
    QVERIFY(!model.work().isEmpty());
    shown.inspector.answer(newest, false);
    QVERIFY(QTest::qWaitFor([&] { return model.shown()->forms[0].removed_fraction == 0.6; }, 5000));
    QVERIFY(!model.complete());
    shown.dock.flush();
    QVERIFY(shown.dock.answers_text().contains(QStringLiteral("computing")));
    shown.inspector.answer(newest);
    shown.settle();
    QVERIFY(!shown.dock.answers_text().contains(QStringLiteral("computing")));
    // One that comes too late changes nothing.
    shown.inspector.answer(newest - 2);
    model.set_view(0, KeepMapModel::all);
    test::settle(80);
    QCOMPARE(model.shown()->forms[0].removed_fraction, 0.6);
  }

  void questionsAreThoseOfTheContext() {
    Shown shown;
    shown.choose(0);
    QCOMPARE(shown.dock.question().count(), 3);
    QCOMPARE(shown.inspector.requests.back().question, std::optional<std::size_t>(0));
    shown.dock.question().setCurrentIndex(2);
    emit shown.dock.question().activated(2);
    shown.settle();
    QCOMPARE(shown.inspector.requests.back().question, std::optional<std::size_t>(1));
    QVERIFY(shown.dock.answers_text().contains("Question 1?"));
    emit shown.dock.question().activated(2);
    shown.dock.question().setCurrentIndex(0);
    emit shown.dock.question().activated(0);
    shown.settle();
    QVERIFY(!shown.inspector.requests.back().question);
    QVERIFY(shown.dock.answers_text().contains("Select a question"));
    Shown plain(12, 0);
    plain.choose(0);
    QVERIFY(!plain.inspector.requests.back().question);
    QVERIFY(plain.dock.answers_text().contains("no questions"));
  }

  void differingWordsAreMarked() {
    Shown shown;
    shown.choose(0);
    QVERIFY(shown.dock.answers_text().contains("the copper key"));
    QVERIFY(shown.dock.answers_text().contains("F1 0.667"));
    QVERIFY(shown.dock.answers_text().contains("F1 1.000"));
    const std::vector<TextPart> parts = differing_parts("the copper key", "the brass key");
    const std::vector<TextPart> expected{{"the ", false}, {"copper ", true}, {"key", false}};
    QVERIFY(parts == expected);
    QCOMPARE(marked_difference("a <b>", "a", "#ff0000"), QString("a <b style='color:#ff0000'>&lt;b&gt;</b>"));
  }
  void partsJoinedAreTheText_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("other");
    QTest::addColumn<int>("differing");  // words
    QTest::newRow("equal") << "one two three"
                           << "one two three" << 0;
    QTest::newRow("nothing in common") << "one two"
                                       << "three" << 2;
    QTest::newRow("against nothing") << "one two"
                                     << "" << 2;
    QTest::newRow("nothing") << ""
                             << "one" << 0;
    QTest::newRow("moved") << "a b c d"
                           << "d a b c" << 1;
    QTest::newRow("spaces") << "  a\n b  "
                            << "a c" << 1;
  }
  void partsJoinedAreTheText() {
    QFETCH(QString, text);
    QFETCH(QString, other);
    QFETCH(int, differing);
    QString joined, marked;
    for (const TextPart& part : differing_parts(text, other)) {
      joined += part.text;
      if (part.differs) marked += part.text + ' ';
    }
    QCOMPARE(joined, text);
    QCOMPARE(static_cast<int>(marked.split(QRegularExpression("\\s+"), Qt::SkipEmptyParts).size()), differing);
  }

  void whatFailsIsSaid() {
    Shown shown;
    shown.choose(0);
    shown.inspector.at_once = false;
    shown.dock.model().set_methods({"knrom"});
    const std::size_t count = shown.inspector.requests.size();
    QVERIFY(QTest::qWaitFor([&] { return shown.inspector.requests.size() > count; }, 5000));
    shown.inspector.answer(0, true, "unknown method 'knrom'; did you mean knorm?");
    shown.settle();
    QVERIFY(shown.dock.empty_text().contains("did you mean knorm"));
    shown.inspector.at_once = true;
    shown.dock.model().set_methods({"knorm"});
    shown.settle();
    QVERIFY(shown.dock.empty_text().isEmpty());
  }

  void nothingIsAskedWhileHidden() {
    Shown shown;
    shown.choose(0);
    shown.dock.hide();
    QCOMPARE(shown.inspector.drops, 1);
    const std::size_t before = shown.inspector.requests.size();
    shown.run.selection.choose_context(shown.id(1));
    shown.dock.model().set_removed_fraction(0.9);
    test::settle(100);
    QCOMPARE(shown.inspector.requests.size(), before);
    shown.dock.show();
    shown.settle();
    QCOMPARE(shown.inspector.requests.back().context, shown.run.snapshot()->contexts[1].id);
    QCOMPARE(shown.inspector.requests.back().removed_fraction, 0.9);
  }

  void theSelectionIsOneForAllViews() {
    ScriptedInspector inspector;
    ScriptedWindow scripted;
    ScriptedSession session;
    WindowOptions options = scripted.options();
    options.inspector = &inspector;
    MainWindow window(session, options);
    window.show();
    session.set_state(RunState::ready);
    QVERIFY(QTest::qWaitFor([&] { return run_of(window).snapshot() != nullptr; }, 10000));
    auto* dock = window.body<KeepMapDock>("tokens");
    QVERIFY(dock != nullptr);
    window.show_view("tokens");
    const QString chosen = to_q(run_of(window).snapshot()->contexts[3].id);
    run_of(window).selection.choose_context(chosen);
    QVERIFY(QTest::qWaitFor([&] { return dock->model().shown() != nullptr && dock->model().complete(); }, 5000));
    QCOMPARE(dock->context().currentText(), chosen);
    dock->context().setCurrentIndex(0);
    emit dock->context().activated(0);
    QCOMPARE(run_of(window).selection.context(), dock->context().currentText());
    for (const ThemeKind kind : {ThemeKind::dark, ThemeKind::light}) window.set_theme(kind);
  }

  void layoutIsMadeOnceForAWidth() {
    Shown shown(2000);
    shown.choose(0);
    TokenMap& map = shown.dock.map(0);
    QCOMPARE(map.token_count(), std::size_t{2000});
    test::settle(100);  // the grid beside it has taken its room
    const int layouts = map.layouts();
    std::vector<double> paints;
    for (int i = 0; i < 60; ++i) {
      shown.dock.model().set_removed_fraction(i / 60.0);
      shown.settle();
      QElapsedTimer clock;
      clock.start();
      map.viewport()->grab();
      paints.push_back(static_cast<double>(clock.nsecsElapsed()) * 1e-6);
    }
    QCOMPARE(map.layouts(), layouts);
    std::ranges::sort(paints);
    qInfo("painting 2,000 tokens: median %.2f ms, longest %.2f ms", paints[30], paints[59]);
    // Every token is found where it is painted, and hovering finds it.
    int found = 0;
    QSignalSpy hovered(&map, &TokenMap::hovered);
    for (std::size_t t = 0; t < 2000; ++t) {
      const QRect box = map.box(t);
      if (box.isNull() || !map.viewport()->rect().contains(box.center())) continue;
      QCOMPARE(map.token_at(box.center()), static_cast<int>(t));
      ++found;
    }
    QVERIFY(found > 50);
    QTest::mouseMove(map.viewport(), map.box(5).center());
    QVERIFY(QTest::qWaitFor([&] { return !hovered.isEmpty() && hovered.last()[0].toInt() == 5; }, 2000));
    map.verticalScrollBar()->setValue(200);
    QCOMPARE(shown.dock.map(1).verticalScrollBar()->value(),
             std::min(200, shown.dock.map(1).verticalScrollBar()->maximum()));
  }

  void everyControlHasANameAndATip() {
    Shown shown;
    for (const QWidget* widget : shown.dock.findChildren<QWidget*>()) {
      if (widget->focusPolicy() == Qt::NoFocus || widget->isHidden() ||
          qobject_cast<const QLineEdit*>(widget) != nullptr ||
          qobject_cast<const QAbstractItemView*>(widget) != nullptr ||
          qobject_cast<const QScrollBar*>(widget) != nullptr)
        continue;
      QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
      QVERIFY2(!widget->toolTip().isEmpty(), widget->metaObject()->className());
    }
  }
};

KV_TEST_MAIN(KeepMapTest)

}  // namespace keep_map_test

#include "keep_map_test.moc"
