// links: kv_base core_text_chat
// Chat templates and generated templates give the texts that Python's jinja2 gives, set as transformers sets it
// (tests/parity/make_chat_goldens.py). What is not supported is refused by its name and line, and no template takes
// unbounded time or memory.
#include "core/text/jinja/template.h"

#include <QtTest>

#include "core/base/files.h"
#include "core/base/random.h"
#include "tests/support/damage.h"
#include "tests/support/test_program.h"
#include "tests/text/encoding_time.h"

namespace jinja_test {

using namespace kvantage;

namespace {

constexpr JinjaTime golden_day{.year = 2024, .month = 7, .day = 26};

OrderedJson goldens() {
  const auto path = std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests/goldens/chat.json";
  return OrderedJson::parse(read_text_file(path).value());
}

Expected<std::string> rendered(const std::string& source, const OrderedJson& variables = OrderedJson::object(),
                               std::optional<JinjaTime> time = golden_day) {
  KV_ASSIGN(const auto parsed, JinjaTemplate::parse(source));
  JinjaVariables values;
  for (const auto& [name, value] : variables.items()) values[name] = jinja_value_of(value);
  return parsed.render(std::move(values), time);
}

std::string refusal(const std::string& source) {
  const auto text = rendered(source, {{"t", true}, {"l", {1, 2}}, {"d", {{"a", 1}}}});
  return text ? "no refusal: " + *text : text.error().message;
}

}  // namespace

class JinjaTest : public QObject {
  Q_OBJECT

  OrderedJson goldens_;
  std::size_t own_ = 0;  // cases of this repository

 private slots:
  /// KVANTAGE_CHAT_TEMPLATES: goldens of further templates, which make_chat_goldens.py makes of any folder.
  void initTestCase() {
    goldens_ = goldens();
    own_ = goldens_.at("cases").size();
    const std::string more = qEnvironmentVariable("KVANTAGE_CHAT_TEMPLATES").toStdString();
    if (more.empty()) return;
    const OrderedJson further = OrderedJson::parse(read_text_file(more).value());
    for (const OrderedJson& entry : further.at("cases")) goldens_["cases"].push_back(entry);
    QVERIFY(goldens_.at("cases").size() > own_);
  }

  void chatTemplatesRenderAsInPython_data() {
    QTest::addColumn<int>("index");
    QVERIFY(goldens_.at("cases").size() >= 30);
    for (std::size_t i = 0; i < goldens_.at("cases").size(); ++i)
      QTest::newRow(goldens_.at("cases")[i].at("name").get<std::string>().c_str()) << static_cast<int>(i);
  }
  void chatTemplatesRenderAsInPython() {
    QFETCH(int, index);
    const OrderedJson& entry = goldens_.at("cases")[static_cast<std::size_t>(index)];
    for (const auto& [name, messages] : goldens_.at("conversations").items()) {
      OrderedJson variables = entry.at("tokens");
      variables["messages"] = messages;
      variables["tools"] = nullptr;
      variables["documents"] = nullptr;
      variables["add_generation_prompt"] = name != "answered";
      variables["enable_thinking"] = false;
      const auto text = rendered(entry.at("template").get<std::string>(), variables);
      const OrderedJson& expected = entry.at("texts").at(name);
      if (expected.is_null())  // raise_exception; templates from elsewhere have other reasons, too
        QVERIFY2(!text && (static_cast<std::size_t>(index) >= own_ ||
                           text.error().message.find("the template refuses the conversation") != std::string::npos),
                 name.c_str());
      else
        QVERIFY2(text && *text == expected.get<std::string>(),
                 (name + ": " + (text ? *text : text.error().message)).c_str());
    }
  }

  // What Python refuses is refused here; of what it renders, a part that is not supported may be refused, too.
  void generatedTemplatesRenderAsInPython() {
    std::size_t equal = 0, refused = 0, refused_here = 0;
    for (const OrderedJson& entry : goldens_.at("generated")) {
      const auto source = entry[0].get<std::string>();
      const auto text = rendered(source, goldens_.at("variables"));
      if (entry[1].is_null()) {
        QVERIFY2(!text, (source + " -> " + text.value_or("")).c_str());
        ++refused;
      } else if (text) {
        QVERIFY2(*text == entry[1].get<std::string>(), (source + " -> " + *text).c_str());
        ++equal;
      } else if (refused_here++ < 10) {
        qInfo("refused only here: %s", text.error().message.c_str());
      }
    }
    qInfo("%zu equal, %zu refused by both, %zu only here", equal, refused, refused_here);
    QVERIFY(equal > 1700 && refused > 100);
    QVERIFY2(refused_here * 200 < equal, std::to_string(refused_here).c_str());
  }

  void whatIsNotSupportedIsRefusedByNameAndLine_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* source, const char* expected) { QTest::newRow(source) << source << expected; };
    row("a\n\n{% include 'x' %}", "line 3: the tag 'include' is not supported");
    row("{% import 'x' as x %}", "line 1: the tag 'import' is not supported");
    row("{% call t() %}{% endcall %}", "line 1: the tag 'call' is not supported");
    row("{% filter frob %}{% endfilter %}", "line 1: filter 'frob' is not supported");
    row("{{ '{:>3}'.format(1) }}", "line 1: method 'format' of a text: the field '{:>3}' is not supported");
    row("{{ '{}{}'.format(1) }}", "line 1: method 'format' of a text: the field '{}' has no argument");
    row("{{ '{0}{}'.format(1) }}", "line 1: method 'format' of a text: the field '{}' follows a numbered one");
    row("{{ '}'.format(1) }}", "line 1: method 'format' of a text: a brace has no other");
    row("{% frob %}", "line 1: unknown tag 'frob'");
    row("x\n{% for x in l recursive %}{% endfor %}", "line 2: recursive loops are not supported");
    row("{{ l | groupby('a') }}", "line 1: filter 'groupby' is not supported");
    row("{{ l is frobbed }}", "line 1: test 'frobbed' is not supported");
    row("{{ l\n  .append(1) }}", "line 2: method 'append' of a list would change it");
    row("{{ d.update(d) }}", "line 1: method 'update' of a mapping would change it");
    row("{{ 'a'.encode() }}", "line 1: method 'encode' of a text is not supported");
    row("{{ '%s' % t }}", "line 1: formatting with '%' is not supported");
    row("{{ f(*l) }}", "line 1: arguments with * are not supported");
    row("{{ cycler(1) }}", "line 1: function 'cycler' is not supported");
    row("\n{{ nothing.more }}", "line 2: 'nothing' is undefined");
    row("{{ nothing() }}", "line 1: 'nothing' is undefined and cannot be called");
    row("{{ strftime_now('%Q') }}", "line 1: the form of time '%Q' is not supported");
    row("{{ '\\N{DIGIT ONE}' }}", "line 1: escapes \\N of characters by name are not supported");
    row("{{ 99999999999999999999 }}", "line 1: the number 99999999999999999999 is not supported");
    row("{{ 9223372036854775807 + 1 }}", "line 1: a whole number of more than 64 bits is not supported");
    row("{{ raise_exception('no\nlines') }}", "line 1: the template refuses the conversation: 'no\\nlines'");
    row("{% if t %}", "line 1: the tag before has no {% endif %}");
    row("{{ (1, 2 }}", "line 1: '}' closes nothing");
    row("{{ 1 +", "line 1: a tag has no }}");
  }
  void whatIsNotSupportedIsRefusedByNameAndLine() {
    QFETCH(QString, source);
    QFETCH(QString, expected);
    const QString message = QString::fromStdString(refusal(source.toStdString()));
    QVERIFY2(message.startsWith(expected) && !message.contains('\n'), qPrintable(message));
  }

  void blocksGoThroughFilters() {
    QCOMPARE(
        rendered("{% filter trim | upper %} a{% set x = 1 %} {{ t }} {% endfilter %}|{{ x }}", {{"t", "b"}}).value(),
        std::string("A B|"));
    QCOMPARE(rendered("{% set x | replace('a', 'cc') | length %}aba{% endset %}{{ x + 1 }}").value(), std::string("6"));
  }

  void textsAreFormatted() {
    QCOMPARE(rendered("{{ '{}<{{{}}}>{}'.format('a', none, 1.5) }}").value(), std::string("a<{None}>1.5"));
    QCOMPARE(rendered("{{ '{1}{name}{0}'.format(1, true, name='x') }}").value(), std::string("Truex1"));
  }

  void theDateComesFromOutside() {
    const std::string source = "{{ strftime_now('%d %b %Y') if strftime_now is defined else 'none' }}";
    QCOMPARE(rendered(source, {}, JinjaTime{.year = 1999, .month = 12, .day = 5}).value(), std::string("05 Dec 1999"));
    QCOMPARE(rendered(source, {}, std::nullopt).value(), std::string("none"));
    QVERIFY(!rendered(source, {}, JinjaTime{.year = 2023, .month = 2, .day = 29}));
  }

  // json.dumps("\x7f\u00e9\U0001F600\x01/") of Python, with and without ensure_ascii.
  void textsAreEscapedAsInPythonsJson() {
    const std::string text = R"('\x7f\u00e9\U0001F600\x01/')";
    QCOMPARE(rendered("{{ " + text + "|tojson(ensure_ascii=true) }}").value(),
             std::string(R"("\u007f\u00e9\ud83d\ude00\u0001/")"));
    QCOMPARE(rendered("{{ " + text + "|tojson }}").value(), std::string("\"\x7F\xC3\xA9\xF0\x9F\x98\x80\\u0001/\""));
  }

  // Each of these would take for ever, or all of the memory.
  void aTemplateEndsWithinItsBudget_data() {
    QTest::addColumn<QString>("source");
    const auto row = [](const char* name, const std::string& source) {
      QTest::newRow(name) << QString::fromStdString(source);
    };
    std::string doubled = "{% set x = 'ab' %}", towers = "{% set a = [1] %}{% set b = [1] %}", loops, ends;
    for (int i = 0; i < 60; ++i) doubled += "{% set x = x ~ x %}";
    for (int i = 0; i < 60; ++i) towers += "{% set a = [a, a] %}{% set b = [b, b] %}";
    for (int i = 0; i < 8; ++i) loops += "{% for x in range(100000) %}";
    for (int i = 0; i < 8; ++i) ends += "{% endfor %}";
    row("doubling", doubled);
    row("comparing", towers + "{{ a == b }}");
    row("writing", towers + "{{ a|length }}{{ a }}");
    row("loops", loops + "x" + ends);
    row("recursion", "{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}");
    row("repeating", "{{ 'a' * 1000000 * 1000000 }}");
    row("padding", "{{ 'a'.ljust(9000000000000) }}");
    row("replacing", "{% set x = 'a' * 1000000 %}{{ x|replace('a', x) }}");
    row("range", "{{ range(1000000000000)|list }}");
    row("itself", "{% set ns = namespace(a=1) %}{% set ns.a = ns %}{{ ns.a.a.a|tojson }}");
    row("strings", "{% set x = 'a' * 1000000 %}{% for i in range(100000) %}{{ 'b' in x }}{% endfor %}");
    row("nesting", "{% set ns = namespace(a=[]) %}{% for i in range(100000) %}{% set ns.a = [ns.a] %}{% endfor %}");
    row("parentheses", "{{ " + std::string(100'000, '('));
    row("sums", [] {
      std::string sum = "{{ 1";
      for (int i = 0; i < 100'000; ++i) sum += "+1";
      return sum + " }}";
    }());
    row("blocks", [] {
      std::string all;
      for (int i = 0; i < 20'000; ++i) all += "{% if t %}";
      return all;
    }());
  }
  void aTemplateEndsWithinItsBudget() {
    QFETCH(QString, source);
    std::string message;
    const double seconds = test::cpu_seconds([&] { message = refusal(source.toStdString()); });
    QVERIFY2(message.starts_with("line ") && message.find('\n') == std::string::npos, message.substr(0, 200).c_str());
    QVERIFY2(seconds < 20, std::to_string(seconds).c_str());
  }

  void changedTemplatesRenderOrAreRefusedInOneLine() {
    std::vector<std::string> sources;
    for (const OrderedJson& entry : goldens_.at("cases")) sources.push_back(entry.at("template").get<std::string>());
    for (std::size_t i = 0; i < 200; ++i) sources.push_back(goldens_.at("generated")[i][0].get<std::string>());
    const std::vector<std::string> pieces{"{{",   "}}",    "{%",  "%}",   "-",   "(",  ")",      "[",      "]",
                                          "|",    "is ",   "not", "if",   "for", "in", "endfor", "endif ", "set ",
                                          "'",    "\"",    ":",   "::",   "~",   "{#", "#}",     ",",      "0",
                                          "\xFF", "else ", "raw", "loop", ".a",  "="};
    std::uint64_t whole = 0, refused = 0;
    for (std::uint64_t seed = 0; seed < test::default_tries(6000); ++seed) {
      Random random(derive_seed(seed, 91));
      std::string source = sources[random.below(sources.size())];
      for (std::uint64_t times = 1 + random.below(4); times > 0; --times) {
        const std::size_t at = random.below(source.size() + 1);
        if (random.below(3) == 0)
          source.erase(at, random.below(12));
        else
          source.insert(at, pieces[random.below(pieces.size())]);
      }
      const auto text = rendered(source, goldens_.at("variables"));
      if (text) {
        ++whole;
        continue;
      }
      ++refused;
      QVERIFY2(text.error().message.starts_with("line ") && text.error().message.find('\n') == std::string::npos,
               text.error().message.c_str());
    }
    QVERIFY(whole > 100 && refused > 100);
  }
};

KV_TEST_GUILESS_MAIN(JinjaTest)

}  // namespace jinja_test

#include "jinja_test.moc"
