// The target without libFuzzer: every seed and what is kept of the corpus as it is, every prefix of the first, then a
// fixed number of mutations from a fixed random sequence. The input under way is kept in FINDINGS until it is survived.
//   standalone_NAME COUNT FINDINGS
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "fuzz/corpus.h"

namespace {

using cutis::fuzz::Random;

std::size_t below(Random& random, std::size_t n) { return n == 0 ? 0 : random() % n; }

// Numbers that counts, indices and coordinates do not expect.
constexpr const char* kNumbers[] = {"-1", "0", "4294967295", "2147483648", "1000000000", "1e39", "nan", "-inf", "0.5"};

std::string mutate(std::string text, const std::vector<std::string>& seeds, Random& random) {
  if (below(random, 2) == 0) return cutis::fuzz::mutate_structure(cutis::fuzz::shape(), text, random);
  const std::size_t times = 1 + below(random, 4);
  for (std::size_t k = 0; k < times; ++k) {
    const std::size_t at = below(random, text.size() + 1);
    const std::size_t length = std::min(text.size() - at, 1 + below(random, 16));
    switch (below(random, 8)) {
      case 0:  // a bit
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(random, 8)));
        break;
      case 1:  // a byte
        if (at < text.size()) text[at] = static_cast<char>(random());
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, text.substr(at, length));
        break;
      case 4:
        text.resize(at);
        break;
      case 5: {  // a number in place of another
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit == std::string::npos) break;
        const std::size_t end = std::min(text.find_first_not_of("0123456789.", digit), text.size());
        text.replace(digit, end - digit, kNumbers[below(random, std::size(kNumbers))]);
        break;
      }
      case 6: {  // the head of one, the tail of another
        const std::string& other = seeds[below(random, seeds.size())];
        text = text.substr(0, at) + other.substr(below(random, other.size()));
        break;
      }
      default:  // four bytes of a large count
        for (std::size_t i = at; i < std::min(text.size(), at + 4); ++i) text[i] = static_cast<char>(0xff);
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::size_t count = std::strtoul(argv[1], nullptr, 10);
  const std::vector<std::string> seeds = cutis::fuzz::seeds_and_corpus();
  std::size_t done = 0;
  const auto read = [&](const std::string& input) {
    std::ofstream(argv[2], std::ios::binary) << input;
    cutis::fuzz::read_input(input);
    ++done;
  };
  for (const std::string& seed : seeds) read(seed);
  const std::size_t step = 1 + seeds.front().size() * 4 / (count + 1);
  for (std::size_t n = 0; n < seeds.front().size(); n += step) read(seeds.front().substr(0, n));
  Random random(20140);  // any; the same for every run
  for (std::size_t i = 0; i < count; ++i) read(mutate(seeds[below(random, seeds.size())], seeds, random));
  std::remove(argv[2]);
  std::printf("%zu inputs read\n", done);
  return 0;
}
