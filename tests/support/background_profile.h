// A real engine that measures quality curves in this process, without a window, until it goes: what a window shows
// must not become slower beside it.
#pragma once

#include <QTest>
#include <array>
#include <atomic>
#include <filesystem>
#include <memory>

#include "tests/support/live_window.h"

namespace kvantage::test {

class BackgroundProfile {
 public:
  /// anytime: the forms of a batch are answered together, with batch-invariant products, and a plan follows each.
  enum class Kind { whole_curves, anytime };
  static constexpr std::array kinds{Kind::whole_curves, Kind::anytime};
  static const char* name_of(Kind kind) { return kind == Kind::anytime ? "anytime profiling" : "profiling"; }

  /// Its work lasts for minutes; in `folder` is what it stores. Returns once curves are being measured; internal where
  /// they are not within two minutes.
  static Expected<std::unique_ptr<BackgroundProfile>> start(const std::filesystem::path& folder,
                                                            Kind kind = Kind::whole_curves) {
    constexpr std::size_t contexts_per_family = 100, min_tokens = 300;
    auto profile = std::make_unique<BackgroundProfile>();
    LiveWindow::Options live{.tiers = {"dram=64MiB"}, .leave_core = true};
    if (kind == Kind::anytime) {
      live.profile_grid = ProfileGridKind::racing;
      live.good_enough = 0;  // it does not end by itself
      live.products = std::string(batch_invariant_products);
    }
    KV_ASSIGN(profile->session_,
              LiveWindow::open_engine(
                  folder, mixed_workload({"needle", "meeting", "inventory"}, contexts_per_family, min_tokens, 5), live,
                  {&profile->counter_}));
    profile->engine().profile_all();
    if (!QTest::qWaitFor([&] { return profile->curves() > 0; }, 120000))
      return fail(ErrorCode::internal, "no curve was measured; " + profile->engine().failure().message);
    return profile;
  }

  /// Curves measured so far; anytime: batches of some of their cells.
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
