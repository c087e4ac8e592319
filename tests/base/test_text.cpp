#include "cutis/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cstdint>

namespace cutis {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(Printable, KeepsWhatPeopleRead) {
  EXPECT_EQ(printable("bone 'forearm_L' › 1.5 m"), "bone 'forearm_L' › 1.5 m");
  EXPECT_EQ(printable("Köln 手 🙂"), "Köln 手 🙂");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, ShowsControlCharactersAndBadBytesAsNumbers) {
  EXPECT_EQ(printable("a\x1b[31mred\x07"), "a\\x1b[31mred\\x07");
  EXPECT_EQ(printable("two\nlines\r\t"), "two\\x0alines\\x0d\\x09");
  EXPECT_EQ(printable(std::string_view("nul\0byte", 8)), "nul\\x00byte");
  EXPECT_EQ(printable("\x7f\xc2\x9b"), "\\x7f\\xc2\\x9b");  // delete, and a command byte of terminals in UTF-8
  EXPECT_EQ(printable("caf\xe9 \xff"), "caf\\xe9 \\xff");   // Latin-1
  EXPECT_EQ(printable("\xc0\xaf \xed\xa0\x80"), "\\xc0\\xaf \\xed\\xa0\\x80");  // too long a form, half of a pair
  EXPECT_EQ(printable("cut \xe6\x89"), "cut \\xe6\\x89");
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // writes backwards from here
}

TEST(Printable, ShortensTheMiddleBetweenCharacters) {
  const std::string text = printable("head" + std::string(5000, 'x') + "tail", 100);
  EXPECT_LE(text.size(), 100U);
  EXPECT_GT(text.size(), 90U);
  EXPECT_TRUE(text.starts_with("headx") && text.ends_with("xtail")) << text;
  EXPECT_THAT(text, HasSubstr("[...]"));
  for (std::size_t longest = 8; longest < 40; ++longest) {
    std::string many;
    for (int i = 0; i < 100; ++i) many += "手";
    const std::string cut = printable(many, longest);
    EXPECT_LE(cut.size(), longest);
    EXPECT_EQ(printable(cut), cut);  // no character was cut in two
    const std::string escapes = printable(std::string(100, '\x1b'), longest);
    EXPECT_EQ(escapes.find("\\x1 "), std::string::npos) << escapes;
  }
}

TEST(JsonFault, IsEmptyForJson) {
  for (const char* text :
       {"{}", "[]", " [1, -2.5e3, \"a\\u00e9\\ud83d\\ude42\\n\", true, false, null, {\"x\": [{}]}] \n", "3", "\"x\"",
        "\xef\xbb\xbf{\"a\": 0}", "[0.5, 0, -0, 1E+2]"})
    EXPECT_THAT(json_fault(text), IsEmpty()) << text;
  EXPECT_THAT(json_fault("// why\n{\"a\": /* not */ 1}", true), IsEmpty());
}

TEST(JsonFault, NamesLineColumnAndWhatWasExpected) {
  EXPECT_EQ(json_fault(""), "line 1, column 1: expected a value, but the text ends");
  EXPECT_EQ(json_fault("{"), "line 1, column 2: expected a name in double quotes, but the text ends");
  EXPECT_EQ(json_fault("{\n  \"a\": 1\n  \"b\": 2}"), "line 3, column 3: expected ',' or '}', found '\"'");
  EXPECT_EQ(json_fault("[1, 2"), "line 1, column 6: expected ',' or ']', but the text ends");
  EXPECT_EQ(json_fault("{\"a\" 1}"), "line 1, column 6: expected ':', found '1'");
  EXPECT_EQ(json_fault("{\"\xc3\xa9\": \x1b}"), "line 1, column 7: expected a value, found '\\x1b'");
  EXPECT_EQ(json_fault("[1,]"), "line 1, column 4: expected a value, found ']'");
  EXPECT_EQ(json_fault("{} x"), "line 1, column 4: expected the end of the text, found 'x'");
  EXPECT_EQ(json_fault("[-]"), "line 1, column 3: expected a digit, found ']'");
  EXPECT_EQ(json_fault("[1e999]"), "line 1, column 2: a number that is too large");
  EXPECT_EQ(json_fault("[\"abc"), "line 1, column 2: a text in double quotes begins here and does not end");
  EXPECT_EQ(json_fault("[\"a\nb\"]"), "line 1, column 4: a control character inside a text (\\x0a)");
  EXPECT_EQ(json_fault("[\"\xff\"]"), "line 1, column 3: a byte that is not UTF-8 (\\xff)");
  EXPECT_THAT(json_fault("[\"\\q\"]"), HasSubstr("line 1, column 3: a backslash"));
  EXPECT_THAT(json_fault("[\"\\ud800\"]"), HasSubstr("backslash"));
  EXPECT_THAT(json_fault("// no\n{}"), HasSubstr("found '/'"));
  EXPECT_THAT(json_fault(std::string(100000, '[')), HasSubstr("500 levels"));
}

// Every text is JSON to both or to neither: what passes here is never met by the parser's own words.
TEST(JsonFault, AgreesWithTheParserOnDamagedTexts) {
  const std::string good =
      "{\"a\": [1, -2.5e3, \"b\\u00e9\\n\xc3\xa9\"], \"c\": {\"d\": null, \"e\": true}, \"f\": 0.25}";
  std::uint64_t random = 1;
  const auto next = [&](std::uint64_t n) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    return (random >> 33U) % n;
  };
  int faults = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    for (std::uint64_t k = 0; k < 1 + next(3); ++k) {
      const std::size_t at = next(text.size());
      constexpr std::string_view kBytes = "{}[],:\"\\u0019.-+eE \n\x1b\xff\xc3tfn/";
      const char byte = kBytes[next(kBytes.size())];
      if (next(3) == 0) {
        text.erase(at, 1);
      } else if (next(2) == 0) {
        text.insert(at, 1, byte);
      } else {
        text[at] = byte;
      }
    }
    const bool parses = nlohmann::json::accept(text);
    EXPECT_EQ(json_fault(text).empty(), parses) << printable(text) << "\n" << json_fault(text);
    faults += parses ? 0 : 1;
  }
  EXPECT_GT(faults, 10000);
}

}  // namespace
}  // namespace cutis
