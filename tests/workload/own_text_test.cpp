// links: kv_base
// Plain texts as workloads: files and folders, their encodings, and how long texts are cut.
#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <fstream>
#include <set>

#include "core/workload/own_text.h"
#include "core/workload/probes.h"
#include "core/workload/sentences.h"
#include "tests/support/test_program.h"

namespace own_text_test {

using namespace kvantage;
using std::filesystem::path;

namespace {

std::size_t count_words(std::string_view text) { return split_words(text, {0, text.size(), 0}).size(); }
OwnTextOptions words(std::size_t limit) { return {.count_tokens = count_words, .context_tokens = limit}; }

std::string sentences(int count, int from = 0) {
  std::string text;
  for (int i = from; i < from + count; ++i)
    text += (i > from ? " " : "") + ("Shelf " + std::to_string(i) + " holds one more book than before.");
  return text;
}

QString squeezed(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())).remove(QRegularExpression("[ \\n]"));
}

}  // namespace

class OwnTextTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  path at(const std::string& name) const { return path(folder_.path().toStdString()) / name; }
  path write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(at(name).parent_path());
    std::ofstream(at(name), std::ios::binary) << text;
    return at(name);
  }

 private slots:
  void aFileBecomesOneContext() {
    const path file = write("one/story.txt",
                            "\xEF\xBB\xBF"
                            "First line.\r\nSecond line.\rThird line.\r\n\r\n");
    OwnTextReport report;
    const auto workload = read_own_text({file}, words(100), &report);
    QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
    QCOMPARE(workload->name, std::string("story.txt"));
    QCOMPARE(workload->contexts.size(), std::size_t{1});
    QCOMPARE(workload->contexts[0].id, std::string("story.txt"));
    QCOMPARE(workload->contexts[0].text, std::string("First line.\nSecond line.\nThird line."));
    QVERIFY(workload->questions.empty());
    QCOMPARE(report.files, std::size_t{1});
    QCOMPARE(report.replaced_bytes, std::size_t{0});
    QVERIFY(is_own_text(file));
  }

  void aFolderIsReadInTheOrderOfItsNames() {
    write("tree/b.md", sentences(2, 10));
    write("tree/a/deep.TXT", sentences(2));
    write("tree/picture.png", std::string("\0\1", 2));
    write("tree/.hidden/c.txt", "Hidden words stay hidden.");
    write("tree/session.json", "{}");
    write("tree/empty.txt", " \n\n");
    write("tree/same.txt", sentences(2, 10));
    OwnTextReport report;
    const auto workload = read_own_text({at("tree")}, words(100), &report);
    QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
    QStringList ids;
    for (const WorkloadContext& context : workload->contexts) ids << QString::fromStdString(context.id);
    QCOMPARE(ids, (QStringList{"a/deep.TXT", "b.md"}));
    QCOMPARE(report.files, std::size_t{3});
    QCOMPARE(report.empty_files, std::size_t{1});
    QCOMPARE(report.repeated_texts, std::size_t{1});
    QCOMPARE(workload->name, std::string("tree"));
    const auto slash = read_own_text({at("tree") / ""}, words(100));
    // A folder's license is what its own file says; without one nobody knows.
    QVERIFY(QString::fromStdString(workload->license).startsWith("unknown"));
    write("tree/LICENCE", "CC0-1.0: anyone may use it.\nAt all.\n");
    QCOMPARE(QString::fromStdString(read_own_text({at("tree")}, words(100))->license), QString("CC0-1.0"));
    write("tree/LICENCE", "\n  MIT License\r\n");
    QCOMPARE(QString::fromStdString(read_own_text({at("tree")}, words(100))->license), QString("MIT License"));
    OwnTextOptions given = words(100);
    given.license = "mine";
    QCOMPARE(QString::fromStdString(read_own_text({at("tree")}, given)->license), QString("mine"));
    QVERIFY(slash && slash->name == "tree" && slash->digest() == workload->digest());
    QVERIFY(is_own_text(at("tree")));
  }

  void aWorkloadFolderIsNoText() {
    write("workload/workload.json", "{}");
    QVERIFY(!is_own_text(at("workload")));
    QVERIFY(!is_own_text(at("nowhere")));
  }

  void longTextsAreCutAtParagraphEnds() {
    std::string text;
    std::set<std::size_t> ends;
    for (int p = 0; p < 40; ++p) {
      text += (p > 0 ? "\n\n" : "") + sentences(1 + p % 5, p * 10);
      ends.insert(text.size());
    }
    for (const std::size_t limit : {64UL, 100UL, 333UL, 1000UL}) {
      const std::vector<std::string_view> parts = cut_text(text, words(limit)).value();
      QVERIFY(limit == 1000 ? parts.size() == 1 : parts.size() > 1);
      std::string joined;
      for (const std::string_view part : parts) {
        QVERIFY(count_words(part) <= limit);
        QVERIFY(ends.contains(static_cast<std::size_t>(part.data() + part.size() - text.data())));
        joined += part;
      }
      QCOMPARE(squeezed(joined), squeezed(text));
      // No short rest: the parts are about equally long.
      if (parts.size() > 1) QVERIFY(count_words(parts.back()) * 3 > count_words(parts.front()));
    }
    const path file = write("long/book.txt", text);
    const auto workload = read_own_text({file}, words(200));
    QVERIFY(workload);
    QCOMPARE(workload->contexts[0].id, std::string("book.txt#1"));
    QCOMPARE(workload->contexts[1].id, std::string("book.txt#2"));
  }

  void textsWithoutParagraphsAreCutAnyway_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("one line of sentences") << QString::fromStdString(sentences(100));
    QTest::newRow("one sentence") << QString("word ").repeated(1000);
    QTest::newRow("Chinese without marks") << QString::fromUtf8("水火木金土").repeated(200);
    QTest::newRow("one run of letters") << QString("abcdefghij").repeated(100);
    QTest::newRow("accents in one run") << QString::fromUtf8("éàü").repeated(300);
  }
  void textsWithoutParagraphsAreCutAnyway() {
    QFETCH(QString, text);
    // A byte is a token here: the strictest model there can be.
    const OwnTextOptions bytes{.count_tokens = [](std::string_view part) { return part.size(); }, .context_tokens = 90};
    const std::string utf8 = text.toStdString();
    std::string joined;
    const std::vector<std::string_view> parts = cut_text(utf8, bytes).value();
    for (const std::string_view part : parts) {
      QVERIFY(!part.empty() && part.size() <= 90);
      QVERIFY2(!QString::fromUtf8(part.data(), static_cast<qsizetype>(part.size())).contains(QChar(0xFFFD)),
               "cut within a character");
      joined += part;
    }
    QCOMPARE(squeezed(joined), squeezed(utf8));
  }

  void whatIsNoTextIsRefused_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("reason");
    QTest::newRow("UTF-16") << QByteArray(
                                   "\xFF\xFE"
                                   "a\0b\0",
                                   6)
                            << "is UTF-16";
    QTest::newRow("NUL") << QByteArray("text\0text", 9) << "NUL bytes";
    QTest::newRow("Latin-1") << QByteArray(
                                    "caf\xe9 cr\xe8me br\xfbl\xe9"
                                    "e")
                             << "is not UTF-8";
    QTest::newRow("empty") << QByteArray() << "holds no text";
    QTest::newRow("white space") << QByteArray("\n \t\n") << "holds no text";
    QTest::newRow("only a mark") << QByteArray("\xEF\xBB\xBF") << "holds no text";
  }
  void whatIsNoTextIsRefused() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, reason);
    const path file = write("refused.txt", bytes.toStdString());
    const auto workload = read_own_text({file}, words(100));
    QVERIFY(!workload);
    QCOMPARE(workload.error().code, ErrorCode::rejected_input);
    const QString message = QString::fromStdString(workload.error().message);
    QVERIFY2(message.contains("refused.txt") && message.contains(reason), qPrintable(message));
  }

  void aFewMalformedBytesAreReplacedAndCounted() {
    const path file =
        write("few.txt", sentences(40) + " A broken \xe9 letter and half a \xe4\xb8 one, \xEF\xBF\xBD was there.");
    OwnTextReport report;
    const auto workload = read_own_text({file}, words(1000), &report);
    QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
    QCOMPARE(report.replaced_bytes, std::size_t{3});
    QVERIFY(QString::fromStdString(workload->contexts[0].text)
                .endsWith(QString::fromUtf8(
                    "A broken \xEF\xBF\xBD letter and half a \xEF\xBF\xBD\xEF\xBF\xBD one, \xEF\xBF\xBD was there.")));
  }

  void wrongPathsAndLimitsAreNamed() {
    std::filesystem::create_directories(at("bare"));
    const auto message = [](const Expected<Workload>& workload) {
      return workload ? QString() : QString::fromStdString(workload.error().message);
    };
    QVERIFY(message(read_own_text({at("bare")}, words(100))).contains("neither workload.json nor a text file"));
    QVERIFY(message(read_own_text({at("nowhere.txt")}, words(100))).contains("no such file"));
    QVERIFY(message(read_own_text({"/dev/null"}, words(100))).contains("neither a file nor a folder"));
    QVERIFY(message(read_own_text({at("bare")}, words(10))).contains("at least 64"));
    QVERIFY(message(read_own_text({}, words(100))).contains("no text given"));
  }

  // Whoever made the folder chose what they name, and a workload of it is passed on.
  void linksOutOfTheFolderAreLeftOut() {
    const path secret = write("elsewhere/secret.txt", sentences(3, 50));
    const path text = write("linked/own.txt", sentences(3));
    std::filesystem::create_symlink("../elsewhere/secret.txt", at("linked/beside.txt"));
    std::filesystem::create_symlink(secret, at("linked/above.md"));
    std::filesystem::create_directory_symlink(at("elsewhere"), at("linked/folder"));
    std::filesystem::create_symlink(secret, at("linked/LICENSE"));
    std::filesystem::create_directories(at("linked/a"));
    std::filesystem::create_symlink("../own.txt", at("linked/a/again.txt"));
    std::filesystem::create_directory_symlink(at("linked"), at("way"));
    for (const char* folder : {"linked", "way"}) {  // the folder itself may be a link
      OwnTextReport report;
      const auto workload = read_own_text({at(folder)}, words(100), &report);
      QVERIFY2(workload, workload ? "" : workload.error().message.c_str());
      QCOMPARE(report.outside_links, std::size_t{2});
      QCOMPARE(report.files, std::size_t{2});
      QCOMPARE(report.repeated_texts, std::size_t{1});  // own.txt, by its link
      QCOMPARE(workload->contexts.size(), std::size_t{1});
      QVERIFY(workload->license.starts_with("unknown"));
    }
    std::filesystem::remove(text);
    std::filesystem::remove(at("linked/a/again.txt"));
    const auto none = read_own_text({at("linked")}, words(100));
    QVERIFY(!none && none.error().code == ErrorCode::rejected_input);
    QVERIFY2(none.error().message.ends_with("its text files are links to files outside it; copy those into it"),
             none.error().message.c_str());
    QVERIFY(read_own_text({at("linked/above.md")}, words(100)));  // the user named it
  }

  void tooMuchTextIsRefusedBeforeItIsRead() {
    const path file = write("huge.txt", "x");
    std::filesystem::resize_file(file, max_text_bytes + 1);
    const auto workload = read_own_text({file}, words(100));
    QVERIFY(!workload);
    QVERIFY(QString::fromStdString(workload.error().message).contains("larger than 64 MiB"));
  }

  void aTextServesAsAWorkloadWithItsProbes() {
    const path file = write("served/lib.txt", sentences(12) + "\n\n" + sentences(12, 50));
    auto workload = read_own_text({file}, words(60 + 40));
    QVERIFY(workload);
    QVERIFY(lacks_questions(*workload));
    QVERIFY(add_missing_probes(*workload, {}));
    QVERIFY(write_workload(*workload, at("written")));
    const auto read = read_workload(at("written"));
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QCOMPARE(read->digest().hex(), workload->digest().hex());
    QCOMPARE(read->requests(20, 1).size(), std::size_t{20});
  }
};

KV_TEST_GUILESS_MAIN(OwnTextTest)

}  // namespace own_text_test

#include "own_text_test.moc"
