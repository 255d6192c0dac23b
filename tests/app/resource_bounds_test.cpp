// links: kv_reports profiles kv_cli_program
// The time and the memory of each parser and command on the worst known input: files that are as hostile as they may
// be within the limits, or beyond them. Each is small enough that a search within a search shows in seconds.
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <vector>

#include "tests/app/hostile_arguments.h"
#include "tests/app/hostile_bytes.h"
#include "tests/app/hostile_commands.h"
#include "tests/app/hostile_inputs.h"
#include "tests/app/hostile_models.h"
#include "tests/app/hostile_places.h"
#include "tests/app/hostile_runs.h"
#include "tests/app/hostile_tokenizers.h"
#include "tests/app/hostile_traces.h"
#include "tests/app/hostile_workloads.h"
#include "tests/support/measured_process.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace resource_bounds_test {

using namespace kvantage;
using namespace kvantage::test;
using namespace kvantage::test::hostile;

namespace {

constexpr double most_seconds = 10, most_mib = 1024;

const hostile::Rows& all_rows() {
  static const hostile::Rows rows = [] {
    hostile::Rows made;
    for (const auto& add : {add_workload_heads,
                            add_workload_texts,
                            add_imports,
                            add_serving_settings,
                            add_texts,
                            add_added_tokens,
                            add_tokenizer_stages,
                            add_token_models,
                            add_models,
                            add_gguf,
                            add_trace_lines,
                            add_traces,
                            add_run_files,
                            add_reports,
                            add_databases,
                            add_arguments,
                            add_sweeps,
                            add_stores,
                            add_encodings,
                            add_numbers,
                            add_hidden_sizes,
                            add_impossible_runs,
                            add_special_files,
                            add_strange_folders,
                            add_strange_stores,
                            add_optional_model_files,
                            add_run_commands,
                            add_other_commands})
      add(made);
    return made;
  }();
  return rows;
}

}  // namespace

class ResourceBoundsTest : public QObject {
  Q_OBJECT
  double idle_mib_ = 0;

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    const Measured idle = measure_forked({"policies"}, 60);
    QVERIFY2(idle.answer.exit_code == 0, idle.text());
    idle_mib_ = idle.peak_mib;
  }

  void eachCommandEndsWithinItsBounds_data() {
    QTest::addColumn<int>("row");
    if (model_directory().empty()) return;
    for (std::size_t i = 0; i < all_rows().size(); ++i)
      QTest::addRow("%s", all_rows()[i].name.c_str()) << static_cast<int>(i);
  }
  void eachCommandEndsWithinItsBounds() {
    QFETCH(int, row);
    const Row& given = all_rows()[static_cast<std::size_t>(row)];
    QTemporaryDir folder;
    given.make(path(folder.path().toStdString()));
    QStringList words;
    for (QString word : given.words) words << word.replace('@', folder.path());
    const Measured measured = measure_forked(words, 100);
    qInfo("%.2f s of CPU, %.0f MiB, exit code %d: %s", measured.cpu_seconds, measured.peak_mib,
          measured.answer.exit_code, qPrintable(measured.answer.error.left(310).trimmed()));
    QVERIFY2(measured.cpu_seconds <= most_seconds, measured.text());
    QVERIFY2(measured.peak_mib <= idle_mib_ + most_mib, measured.text());
    QVERIFY2(std::ranges::find(given.codes, measured.answer.exit_code) != given.codes.end(), measured.text());
    if (measured.answer.exit_code == 0) return;
    QVERIFY2(measured.answer.error_lines().size() == 1 && measured.answer.is_of_short_lines(), measured.text());
    QVERIFY2(measured.answer.error.contains(QString::fromStdString(given.says)), measured.text());
    QVERIFY2(!measured.answer.error.contains(QChar(0x1b)), measured.text());
  }
};

KV_TEST_GUILESS_MAIN(ResourceBoundsTest)

}  // namespace resource_bounds_test

#include "resource_bounds_test.moc"
