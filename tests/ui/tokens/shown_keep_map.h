// A keep map over a scripted inspector and a session that is ready, shown.
#pragma once

#include <QTest>

#include "tests/ui/ask/scripted_inspector.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/text/words.h"
#include "ui/tokens/keep_map_dock.h"

namespace kvantage {

struct Shown {
  ScriptedInspector inspector;
  ScriptedSession session;
  RunModel run{session};
  KeepMapDock dock;

  explicit Shown(std::size_t tokens = 12, std::size_t questions = 2)
      : inspector(tokens, questions), dock(run, &inspector) {
    session.set_state(RunState::ready);
    run.tick();
    dock.resize(900, 300);
    dock.show();
  }
  QString id(std::size_t index) const { return to_q(run.snapshot()->contexts[index].id); }
  void choose(std::size_t index) {
    run.selection.choose_context(id(index));
    settle();
  }
  void settle() {
    if (!QTest::qWaitFor([this] { return dock.model().complete(); }, 60000))
      QTest::qFail("never complete", __FILE__, __LINE__);
    dock.flush();
  }
};

}  // namespace kvantage
