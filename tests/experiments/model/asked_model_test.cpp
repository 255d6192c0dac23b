// links: kv_experiments
// The model of a figure is read as it is asked for: its prompt form, and the length that it serves.
#include <QtTest>

#include "core/experiments/studies/figure_arguments.h"
#include "tests/support/closed_host.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace asked_model_test {

using namespace kvantage;
using namespace kvantage::test;

class AskedModelTest : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: neither resources/model nor the trial checkpoint is there");
  }

  void thePromptFormIsTheOneAsked() {
    ClosedHost host;
    FigureArguments arguments = arguments_for(host, "compaction/overheads");
    arguments.model.path = model_directory().string();
    const auto own = load_asked_model(arguments);
    QVERIFY2(own.has_value(), own ? "" : own.error().message.c_str());
    arguments.model.prompt_form = "raw";
    const auto raw = load_asked_model(arguments);
    QVERIFY2(raw.has_value(), raw ? "" : raw.error().message.c_str());
    QVERIFY((*raw)->prompt->form() == PromptForm::raw);
    QVERIFY((*own)->prompt->form() != PromptForm::raw);
    QVERIFY((*own)->answering_digest(48) != (*raw)->answering_digest(48));  // so are references and profiles
  }

  void aLengthBeyondTheModelIsRefused() {
    ClosedHost host;
    FigureArguments arguments = arguments_for(host, "compaction/overheads");
    arguments.model.path = model_directory().string();
    arguments.model.max_model_len = 1'000'000;
    const auto model = load_asked_model(arguments);
    QVERIFY(!model && model.error().code == ErrorCode::rejected_input);
    QVERIFY2(
        model.error().message.find("a maximum length of 1000000 tokens is more than the model's ") != std::string::npos,
        model.error().message.c_str());
  }
};

KV_TEST_GUILESS_MAIN(AskedModelTest)

}  // namespace asked_model_test

#include "asked_model_test.moc"
