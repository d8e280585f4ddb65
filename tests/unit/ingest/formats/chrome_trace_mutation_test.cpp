#include <random>

#include "unit/ingest/formats/import_fixture.hpp"

namespace roofline {
namespace {

/// The small traces, as they are.
std::vector<std::string> seeds() {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(test::data("traces"))) {
    if (entry.path().extension() != ".json") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

class Mutator {
 public:
  explicit Mutator(std::vector<std::string> texts) : texts_(std::move(texts)) {}

  std::string next() {
    auto text = one();
    for (auto changes = 1 + below(4); changes-- > 0;) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }
  const std::string& one() { return texts_[below(texts_.size())]; }

  void change(std::string& text) {
    constexpr std::string_view kMarks = "\"\\{}[]:,\n\t 0-e.\0\xff";
    const auto at = below(text.size() + 1);
    switch (below(7)) {
      case 0: text.resize(at); break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(random_());
        break;
      case 2:
        if (at < text.size()) text[at] = kMarks[below(kMarks.size())];
        break;
      case 3: text.insert(at, 1, kMarks[below(kMarks.size())]); break;
      case 4: text.erase(at, below(200)); break;
      case 5: {  // a piece of another, or of the same
        const auto& other = one();
        const auto from = below(other.size());
        text.insert(at, other.substr(from, below(400)));
        break;
      }
      default: {  // the same again, many times over
        const auto piece = text.substr(at, below(300));
        for (auto times = below(300); times-- > 0;) text.insert(at, piece);
      }
    }
  }

  std::vector<std::string> texts_;
  std::mt19937 random_{20'240'601};  // the same texts in every run
};

/// Whatever the bytes are, they are read or refused. A hang ends by the time limit of the tests,
/// and the sanitizers' build sees what lies outside of a buffer.
TEST(ChromeTraceMutations, AreReadOrRefused) {
  Mutator mutator(seeds());
  const auto* importer = find_importer("chrome-trace");
  ASSERT_NE(importer, nullptr);
  std::uint64_t read = 0, refused = 0;
  for (int i = 0; i < 1500; ++i) {
    const auto text = mutator.next();
    const test::TemporaryFile file("mutated.json", text);
    const auto imported = import_file(file.path(), importer, {});
    if (imported) {
      ++read;
      EXPECT_FALSE(imported->capture.empty());
    } else {
      ++refused;
      EXPECT_EQ(imported.error().code, Code::wrong_type) << imported.error().what;
    }
    if (i % 50 != 0 || !imported) continue;
    // What was made of it is a capture that reads back whole.
    const CaptureSource source{"made", std::make_shared<const std::string>(imported->capture)};
    const auto back = read_profile(std::span(&source, 1));
    ASSERT_TRUE(back.has_value()) << i;
    for (const auto& loss : back->losses) EXPECT_NE(loss.reason, "damaged_records") << i;
  }
  // Both happen, or the texts are not what they are meant to be.
  EXPECT_GT(read, 500U);
  EXPECT_GT(refused, 20U);
}

}  // namespace
}  // namespace roofline
