// links: kv_reports kv_cli_program
// Cells of a sweep through a shared folder: each goes to one worker, however many ask at once; one whose worker is gone
// goes to another; a result counts once; what fails three times has failed.
#include <QTemporaryDir>
#include <QtTest>

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "app/cli/sweep/folder_queue.h"
#include "app/cli/sweep/publish_once.h"
#include "core/base/files.h"
#include "core/base/folders.h"
#include "tests/support/test_program.h"

namespace folder_queue_test {

using namespace kvantage;
using namespace kvantage::cli;
using std::filesystem::path;

class FolderQueueTest : public QObject {
  Q_OBJECT

  QTemporaryDir temporary_;
  int folders_ = 0;
  std::shared_ptr<ManualClock> clock_;

  path new_folder() { return path(temporary_.path().toStdString()) / ("out" + std::to_string(++folders_)); }
  static SweepPlan plan_of(std::uint64_t cells) {
    SweepPlan plan;
    plan.workload = "w";
    for (std::uint64_t seed = 0; seed < cells; ++seed)
      plan.cells.push_back({.policy = "lru", .budget = {}, .seed = seed, .uses_alpha = false});
    return plan;
  }
  FolderQueue published(const path& out, std::uint64_t cells) const {
    FolderQueue queue(out, clock_);
    if (!queue.publish(plan_of(cells), {})) qFatal("cannot publish");
    return queue;
  }
  static std::size_t files_in(const path& folder) {
    std::error_code ignored;
    return entries_of(folder, ignored).size();
  }

 private slots:
  void init() { clock_ = std::make_shared<ManualClock>(); }

  void aFolderWithoutASweepHasNone() {
    FolderQueue queue(new_folder(), clock_);
    QVERIFY(!queue.exists().value() && !queue.plan().value() && !queue.has_claims());
    const auto taken = queue.take("a", 30);
    QVERIFY(!taken && taken.error().code == ErrorCode::rejected_input);
  }

  // As many threads as a small cluster has nodes, each with a queue of its own, as other processes have.
  void everyCellGoesToOneOfManyWorkers() {
    constexpr std::size_t cells = 120, workers = 8;
    const path out = new_folder();
    published(out, cells);
    std::mutex mutex;
    std::map<std::string, int> taken;
    std::atomic<int> errors = 0;
    std::vector<std::thread> threads;
    threads.reserve(workers);
    for (std::size_t w = 0; w < workers; ++w)
      threads.emplace_back([&, w] {
        FolderQueue queue(out, clock_);
        const std::string name = "host-" + std::to_string(w);
        while (true) {
          const auto mine = queue.take(name, 30);
          if (!mine) ++errors;
          if (!mine || !*mine) return;
          const std::lock_guard lock(mutex);
          ++taken[(*mine)->id];
        }
      });
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(errors.load(), 0);
    QCOMPARE(taken.size(), cells);
    for (const auto& [id, times] : taken) QVERIFY2(times == 1, id.c_str());
    QCOMPARE(files_in(out / "queue" / "claims"), cells);
  }

  void aClaimThatIsNotRenewedGoesToAnother() {
    const path out = new_folder();
    FolderQueue first = published(out, 1), second(out, clock_);
    const auto lost = first.take("gone-1", 30).value();
    QVERIFY(lost && !lost->from_another);
    QVERIFY(!second.take("host-2", 30).value());  // seen for the first time
    clock_->advance_seconds(29);
    QVERIFY(!second.take("host-2", 30).value());
    // Its worker is still there: the time begins again.
    QVERIFY(write_text_file(out / "queue" / "claims" / lost->message, "held 00000000000000000007 gone-1\n"));
    clock_->advance_seconds(20);
    QVERIFY(!second.take("host-2", 30).value());
    clock_->advance_seconds(31);
    const auto taken = second.take("host-2", 30).value();
    QVERIFY(taken && taken->from_another);
    QCOMPARE(taken->id, lost->id);
    QCOMPARE(taken->message, lost->id + ".2");
    QVERIFY(!first.take("gone-1", 30).value());
    const auto told = second.failures().value();
    QCOMPARE(told.at(lost->id),
             std::vector<std::string>{"gone-1: it ended, or did not renew its claim, while it served the cell"});
  }

  // A cell that takes down who serves it must not take down all workers.
  void aCellWhoseWorkersEndThreeTimesHasFailed() {
    const path out = new_folder();
    FolderQueue first = published(out, 2);
    const std::string id = first.take("gone-0", 30).value()->id;
    const auto other = first.take("gone-0", 30).value();
    QVERIFY(other->id != id && first.finish(*other, Json{{"requests", 1}}, "").value());
    for (int time = 1; time <= 2; ++time) {
      FolderQueue queue(out, clock_);
      QVERIFY(!queue.take("gone-" + std::to_string(time), 30).value());
      clock_->advance_seconds(30);
      const auto taken = queue.take("gone-" + std::to_string(time), 30).value();
      QVERIFY(taken && taken->from_another && taken->id == id);
    }
    FolderQueue last(out, clock_);
    QVERIFY(!last.take("host-4", 30).value());
    clock_->advance_seconds(30);
    QVERIFY(!last.take("host-4", 30).value());  // not served a fourth time
    const Json failed = last.result(id).value().value();
    QCOMPARE(failed["attempts"].get<int>(), 3);
    QCOMPARE(failed["worker"].get<std::string>(), std::string("gone-2"));
    QVERIFY(failed["failed"].get<std::string>().find("did not renew its claim") != std::string::npos);
    QCOMPARE(last.finished().value().size(), std::size_t{2});
  }

  void aResultCountsOnceAndItsRunIsThere() {
    const path out = new_folder();
    FolderQueue queue = published(out, 1);
    const auto taken = queue.take("host-1", 30).value();
    QVERIFY(queue.finish(*taken, Json{{"run_id", "r1"}, {"requests", 6}}, "the run\n").value());
    QVERIFY(!queue.finish(*taken, Json{{"run_id", "r2"}, {"requests", 7}}, "another\n").value());
    QCOMPARE(queue.result(taken->id).value().value()["requests"].get<int>(), 6);
    QCOMPARE(queue.run_of(taken->id).value().value(), std::string("the run\n"));
    QCOMPARE(files_in(out / "queue" / "runs"), std::size_t{1});
    QVERIFY(queue.forget_run(taken->id));
    QVERIFY(!queue.run_of(taken->id).value());
    QVERIFY(!FolderQueue(out, clock_).take("host-2", 30).value());
    // A name that would leave the folder.
    const auto hostile = queue.finish(*taken, Json{{"run_id", "../../r"}}, "x");
    QVERIFY(!hostile && hostile.error().code == ErrorCode::rejected_input);
  }

  void aLeaseRenewsAndFreesItsCellAtItsEnd() {
    const path out = new_folder();
    FolderQueue queue = published(out, 1);
    const auto taken = queue.take("host-1", 30).value();
    const path claim = out / "queue" / "claims" / taken->message;
    const std::string before = read_text_file(claim).value();
    QCOMPARE(before, std::string("held 00000000000000000000 host-1\n"));
    {
      const auto lease = queue.renewing("host-1", *taken, 0.04);
      QTRY_VERIFY(read_text_file(claim).value() != before);
      QVERIFY(read_text_file(claim).value().ends_with(" host-1\n"));
    }
    QCOMPARE(read_text_file(claim).value(), std::string("free\n"));
    const auto next = FolderQueue(out, clock_).take("host-2", 30).value();  // without a wait
    QVERIFY(next && !next->from_another && next->message == taken->id + ".2");
  }

  void anAttemptThatFailsIsHandedBackTwice() {
    const path out = new_folder();
    for (int attempt = 1; attempt <= 3; ++attempt) {
      FolderQueue queue(out, clock_);
      if (attempt == 1) QVERIFY(queue.publish(plan_of(1), {}));
      const auto taken = queue.take("host-1", 30).value();
      QVERIFY2(taken && taken->message == taken->id + "." + std::to_string(attempt), taken ? "" : "not given again");
      const auto lease = queue.renewing("host-1", *taken, 30);
      QVERIFY(queue.hand_back(*taken, "host-1", "no\nspace"));
      QCOMPARE(queue.has_result(taken->id).value(), attempt == 3);
    }
    FolderQueue queue(out, clock_);
    const std::string id = *queue.finished().value().begin();
    QCOMPARE(queue.failures().value().at(id), (std::vector<std::string>(3, "host-1: no space")));
    QCOMPARE(queue.result(id).value().value()["failed"].get<std::string>(), std::string("no\nspace"));
    // --resume gives it three more.
    QVERIFY(queue.forget_failures({}));
    QVERIFY(queue.failures().value().empty() && queue.finished().value().empty());
    QCOMPARE(FolderQueue(out, clock_).take("host-1", 30).value()->message, id + ".1");
  }

  void cellsWhoseResultsAreElsewhereAreNotGivenOut() {
    const path out = new_folder();
    const SweepPlan plan = plan_of(2);
    FolderQueue queue(out, clock_);
    QVERIFY(queue.publish(plan, {cell_id(plan, plan.cells[0])}));
    QCOMPARE(queue.take("host-1", 30).value()->id, cell_id(plan, plan.cells[1]));
    QVERIFY(!queue.take("host-1", 30).value());
    QVERIFY(queue.forget_failures({}));  // nobody has it any more
    QCOMPARE(FolderQueue(out, clock_).take("host-1", 30).value()->id, cell_id(plan, plan.cells[0]));
  }

  void ofManyWritersOneIsFirst() {
    const path file = path(temporary_.path().toStdString()) / "once";
    std::atomic<int> first = 0, errors = 0;
    std::vector<std::thread> threads;
    threads.reserve(8);
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        const auto made = publish_once(file, std::string(100'000, static_cast<char>('a' + t)));
        if (!made) ++errors;
        if (made && *made) ++first;
      });
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(errors.load(), 0);
    QCOMPARE(first.load(), 1);
    const std::string text = read_text_file(file).value();
    QCOMPARE(text, std::string(100'000, text.front()));
    const auto nowhere = publish_once(path(temporary_.path().toStdString()) / "no" / "folder", "x");
    QVERIFY(!nowhere && nowhere.error().message.find("cannot be written") != std::string::npos);
  }
};

KV_TEST_GUILESS_MAIN(FolderQueueTest)

}  // namespace folder_queue_test

#include "folder_queue_test.moc"
