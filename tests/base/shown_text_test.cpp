// links: kv_base
// What comes from files and servers commands neither a terminal nor a spreadsheet.
#include <QtTest>

#include "core/base/json.h"
#include "core/base/shown_text.h"
#include "tests/support/test_program.h"

namespace shown_text_test {

using namespace kvantage;

class ShownTextTest : public QObject {
  Q_OBJECT

 private slots:
  void aLineCommandsNothing() {
    QCOMPARE(shown_line("a\tb\nc\x1b[2J\x07\x7f"), std::string("a b c [2J  "));
    QCOMPARE(shown_line("\xc2\x9b"
                        "2J"),
             std::string("\xef\xbf\xbd"
                         "2J"));  // C1's ESC [
    QCOMPARE(shown_line("a\xe2\x80\xae"
                        "b\xe2\x81\xa9"),
             std::string("a\xef\xbf\xbd"
                         "b\xef\xbf\xbd"));
    QCOMPARE(shown_line("\xd8\x9c\xe2\x80\x8f\xe2\x80\xa8"), std::string("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"));
    QCOMPARE(shown_line("\xff"), std::string("\xef\xbf\xbd"));
    const std::string plain = "caf\xc3\xa9 \xe6\x96\x87 \xd7\xa9 \xe2\x80\x93 \xe2\x80\xa6 \xc2\xa0";
    QCOMPARE(shown_line(plain), plain);
  }

  void namesAreShortened() {
    QCOMPARE(shortened("abc", 3), std::string("abc"));
    QCOMPARE(shortened("abcd", 3), std::string("abc..."));
    QCOMPARE(shortened("ab\xe2\x82\xac", 4), std::string("ab..."));  // no cut letter
    QCOMPARE(printable(std::string(5000, 'x')).size(), std::size_t{203});
    QCOMPARE(printable("a\x1b]0;t\x07\xe2\x80\xae"), std::string("a\\u001b]0;t\\u0007\xef\xbf\xbd"));
  }

  static std::size_t characters_of(const std::string& text) {
    return static_cast<std::size_t>(QString::fromStdString(text).toUcs4().size());
  }

  void aMessageKeepsItsBeginningAndItsEnd() {
    QCOMPARE(message_line("run.json: no such file; check the path"),
             std::string("run.json: no such file; check the path"));
    QCOMPARE(message_line("a\nb\x1b[2J"), std::string("a b [2J"));
    QCOMPARE(message_line(std::string(300, 'x')).size(), std::size_t{300});  // as it is: nothing replaces a letter
    const std::string path = message_line("/tmp/" + std::string(5000, 'a') + ": no such file; check the path");
    QCOMPARE(characters_of(path), max_message_characters);
    QVERIFY2(path.starts_with("/tmp/aaa") && path.ends_with("aaa: no such file; check the path"), path.c_str());
    QVERIFY(path.find("a\xe2\x80\xa6"
                      "a") != std::string::npos);
    // The longer words give, and all of them alike.
    const std::string x(100'000, 'x');
    const std::string tier =
        message_line("tier 'ssd=5MiB," + x + "=1': unknown option '" + x + "'; known are path, kind");
    QVERIFY2(tier.starts_with("tier 'ssd=5MiB,xxx") && tier.ends_with("x'; known are path, kind"), tier.c_str());
    QVERIFY2(tier.find("x=1': unknown option 'xxx") != std::string::npos, tier.c_str());
    QVERIFY(characters_of(tier) <= max_message_characters);
    // Many short words: the middle of the line.
    std::string list = "unknown method 'q'; choose one of";
    for (int i = 0; i < 200; ++i) list += " method" + std::to_string(i);
    const std::string chosen = message_line(list + "; see --help", 100);
    QCOMPARE(characters_of(chosen), std::size_t{100});
    QVERIFY2(chosen.starts_with("unknown method 'q'; choose one of method0") && chosen.ends_with("; see --help"),
             chosen.c_str());
  }

  // Of a list of fields the last ones go, and say how many; what is to be done stays to the letter.
  void whatToDoIsWhole_data() {
    QTest::addColumn<int>("path");
    QTest::addColumn<int>("fields");
    for (const int path : {5, 60, 120, 250, 5000})
      for (const int fields : {1, 4, 20, 200}) QTest::addRow("path %d, %d fields", path, fields) << path << fields;
  }
  void whatToDoIsWhole() {
    QFETCH(int, path);
    QFETCH(int, fields);
    constexpr int most_listed = 20;  // as a message has them
    const auto listed = [&](int count) {
      std::string list;
      for (int i = 0; i < count; ++i) list += (i == 0 ? "" : ", ") + ("name_of_a_field_" + std::to_string(i));
      return count == fields ? list : list + ", and " + std::to_string(fields - count) + " more";
    };
    const std::string line = std::string(static_cast<std::size_t>(path), 'p') +
                             ":1: is in none of the known formats: no field is known to hold context and question ";
    const std::string advice = "; name them with --map context=FIELD,question=FIELD,answers=FIELD";
    const std::string lacks =
        message_line(line + "(its fields: " + listed(std::min(fields, most_listed)) + ")" + advice, 293);
    QVERIFY2(characters_of(lacks) <= 293 && lacks.ends_with(advice), lacks.c_str());
    const std::string absent = message_line(line + "; its fields are " + listed(std::min(fields, most_listed)), 293);
    QVERIFY2(characters_of(absent) <= 293, absent.c_str());
    bool is_list_of_lacks = false, is_list_of_absent = false;
    for (int count = 1; count <= std::min(fields, most_listed); ++count) {
      is_list_of_lacks = is_list_of_lacks || lacks.find("(its fields: " + listed(count) + ");") != std::string::npos;
      is_list_of_absent = is_list_of_absent || absent.ends_with("; its fields are " + listed(count));
    }
    QVERIFY2(is_list_of_lacks, lacks.c_str());
    QVERIFY2(is_list_of_absent, absent.c_str());
    // A short path is whole, and no more fields go than need to.
    if (path <= 60) QVERIFY2(lacks.starts_with(line) && absent.starts_with(line), lacks.c_str());
    if (path == 5 && fields > 4) QVERIFY2(characters_of(lacks) > 293 - 20 - 15, lacks.c_str());
  }

  void aNameAsLongAsALineIsCutBehindAMapToo() {
    const std::string name(400, 'n');
    const std::string line =
        message_line("t:2: field '" + name + "' 'x' is no time; give its unit, as in --map time=" + name + ":ms", 293);
    QVERIFY2(characters_of(line) <= 293 && line.ends_with("n:ms"), line.c_str());
  }

  void noLetterIsCut() {
    for (const char* letter : {"\xc3\xa9", "\xe6\x96\x87", "\xf0\x9f\x98\x80", "\xff"}) {
      std::string word;
      for (int i = 0; i < 1000; ++i) word += letter;
      for (const std::size_t most :
           {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{50}, std::size_t{293}}) {
        for (const std::string& text : {word, "'" + word + "': unknown; leave it out", "a " + word + " b " + word}) {
          const std::string line = message_line(text, most);
          QVERIFY(characters_of(line) <= most && characters_of(line) + 1 >= most);
          QCOMPARE(shown_line(line), line);  // valid UTF-8
        }
      }
    }
  }

  void faultyJsonIsQuotedShortAndPlain() {
    const auto json = parse_json("[\"" + std::string(5000, 'x') + "\x1b[2J", "f.json");
    QVERIFY(!json && json.error().message.size() < 400);
    QVERIFY(json.error().message.find('\x1b') == std::string::npos);
  }

  void noCellIsAFormula() {
    for (const char* formula : {"=1+1", "+cmd|'/C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "--1"})
      QVERIFY2(csv_cell(formula).find(std::string("'") + formula) != std::string::npos, formula);
    for (const char* number : {"-1.5", "-2e-7", "+3.5", "-30 %", "3", "-", "a=b"})
      QCOMPARE(csv_cell(number), std::string(number));
    QCOMPARE(csv_cell("=HYPERLINK(\"x\",\"y\")\n"), std::string("\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\n\""));
  }
};

KV_TEST_GUILESS_MAIN(ShownTextTest)

}  // namespace shown_text_test

#include "shown_text_test.moc"
