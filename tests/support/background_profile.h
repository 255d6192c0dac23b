// A real engine that measures quality curves in this process, without a window, until it goes: what a window shows
// must not become slower beside it.
#pragma once

#include <QTest>
#include <atomic>
#include <filesystem>
#include <memory>

#include "tests/support/live_window.h"

namespace kvantage::test {

class BackgroundProfile {
 public:
  /// Its work lasts for minutes; in `folder` is what it stores. Returns once curves are being measured; internal where
  /// they are not within two minutes.
  static Expected<std::unique_ptr<BackgroundProfile>> start(const std::filesystem::path& folder) {
    constexpr std::size_t contexts_per_family = 100, min_tokens = 300;
    auto profile = std::make_unique<BackgroundProfile>();
    KV_ASSIGN(profile->session_,
              LiveWindow::open_engine(
                  folder, mixed_workload({"needle", "meeting", "inventory"}, contexts_per_family, min_tokens, 5),
                  {.tiers = {"dram=64MiB"}, .leave_core = true}, {&profile->counter_}));
    profile->engine().profile_all();
    if (!QTest::qWaitFor([&] { return profile->curves() > 0; }, 120000))
      return fail(ErrorCode::internal, "no curve was measured; " + profile->engine().failure().message);
    return profile;
  }

  /// Contexts measured so far.
  std::size_t curves() const { return counter_.curves; }
  bool works() const { return session_.engine->state() == RunState::running; }

 private:
  class Counter final : public EventSink {
   public:
    void publish(const Event& event) override {
      if (std::holds_alternative<events::ContextProfiled>(event.payload)) ++curves;
    }
    std::atomic<std::size_t> curves{0};
  };

  Engine& engine() { return *session_.engine; }

  Counter counter_;  // before the session, which reports to it
  LiveSession session_;
};

}  // namespace kvantage::test
