// Takes read piece by piece: what load_take() has, and memory that does not grow with their length.
#include "cutis/take_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>

#include "cutis/error.h"
#include "cutis/files.h"
#include "cutis/marker_solver.h"
#include "cutis/target_stream.h"
#include "io/c3d_maker.h"
#include "support/support.h"

namespace cutis {
namespace {

using test::C3dSpec;

/// Bits, so that points that were not seen are equal too.
bool same(const Vec3d& a, const Vec3d& b) {
  for (int k = 0; k < 3; ++k)
    if (std::bit_cast<std::uint64_t>(a[k]) != std::bit_cast<std::uint64_t>(b[k])) return false;
  return true;
}

void expect_pieces_of(const std::string& file, const TakeOptions& options = {}) {
  const Context context(1);
  const MarkerTake whole = load_take(file, context, options);
  TakeStream stream(file, context, options);
  EXPECT_EQ(stream.frames(), whole.frames);
  EXPECT_EQ(stream.rate(), whole.rate);
  struct Piece {
    std::size_t first, count, step;
  };
  for (const Piece& p : {Piece{0, 4, 1}, {3, 5, 1}, {1, 100, 3}, {0, 2, 1}, {whole.frames - 1, 9, 1}}) {
    const MarkerTake piece = stream.read(p.first, p.count, p.step);
    EXPECT_EQ(piece.names, whole.names);
    EXPECT_EQ(piece.kinds, whole.kinds);
    EXPECT_EQ(piece.unit, whole.unit);
    EXPECT_EQ(piece.up, whole.up);
    EXPECT_DOUBLE_EQ(piece.rate * static_cast<double>(p.step), whole.rate);
    EXPECT_EQ(piece.frames, std::min(p.count, (whole.frames - p.first + p.step - 1) / p.step));
    for (std::size_t f = 0; f < piece.frames; ++f)
      for (std::size_t i = 0; i < whole.names.size(); ++i) {
        EXPECT_TRUE(same(piece.at(f, i), whole.at(p.first + f * p.step, i))) << p.first << " " << f << " " << i;
        EXPECT_EQ(piece.residuals[f * whole.names.size() + i],
                  whole.residuals[(p.first + f * p.step) * whole.names.size() + i]);
      }
  }
}

C3dSpec some_points() {
  C3dSpec spec;
  spec.labels = {"A", "B", "C"};
  spec.analogue = 5;
  for (int f = 0; f < 11; ++f)
    spec.frames.push_back({{{10.0 * f, 2, 3}, 4}, {{4, 50.0 + f, 6}, f == 6 ? -1 : 0}, {{7, 8, 900.0 - f}, 0}});
  return spec;
}

TEST(TakeStream, HasTheFramesOfC3dFilesOfEveryMachine) {
  const test::TemporaryFolder folder;
  for (const test::Processor processor : {test::Processor::intel, test::Processor::dec, test::Processor::mips})
    for (const bool as_float : {true, false}) {
      C3dSpec spec = some_points();
      spec.processor = processor;
      spec.as_float = as_float;
      write_file(folder.file("a.c3d"), make_c3d(spec));
      expect_pieces_of(folder.file("a.c3d"));
    }
}

TEST(TakeStream, HasTheFramesOfTrcFilesWhateverEndsTheirLines) {
  const test::TemporaryFolder folder;
  std::string text =
      "PathFileType\t4\t(X/Y/Z)\twalk.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n60\t60\t9\t2\tmm\n"
      "Frame#\tTime\tHead\t\t\tFoot\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n";
  for (int f = 0; f < 9; ++f) {
    const std::string n = std::to_string(f);
    text += n + "\t0." + n + "\t10" + n + "\t200\t300\t" + (f == 4 ? "\t\t\n" : "1\t2" + n + "\t3\n");
  }
  write_file(folder.file("a.trc"), text);
  expect_pieces_of(folder.file("a.trc"));
  expect_pieces_of(folder.file("a.trc"), {.up = 'z', .unit = 1.0});
  const auto with = [&](const std::string& end) {
    std::string other;
    for (const char c : text) c == '\n' ? other += end : other += c;
    return other;
  };
  write_file(folder.file("windows.trc"), "\xef\xbb\xbf" + with("\r\n"));
  expect_pieces_of(folder.file("windows.trc"));
  write_file(folder.file("old.trc"), with("\r"));
  expect_pieces_of(folder.file("old.trc"));
}

TEST(TakeStream, SaysWhatIsWrongAsLoadTakeDoes) {
  const test::TemporaryFolder folder;
  const Context context(1);
  const auto same_error = [&](const std::string& file, const TakeOptions& options = {}) {
    const std::string expected = test::error_of([&] { (void)load_take(file, context, options); });
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(test::error_of([&] { TakeStream(file, context, options); }), expected);
  };
  same_error(folder.file("absent.c3d"));
  same_error(folder.file("absent.trc"));
  same_error(folder.file("take.txt"));
  write_file(folder.file("bad.c3d"), "nothing");
  same_error(folder.file("bad.c3d"));
  write_file(folder.file("bad.trc"), "hello\n");
  same_error(folder.file("bad.trc"));
  write_file(folder.file("a.c3d"), make_c3d(some_points()));
  same_error(folder.file("a.c3d"), {.up = 'q'});
  TakeStream stream(folder.file("a.c3d"), context);
  EXPECT_THAT(test::error_of([&] { (void)stream.read(0, 1, 0); }), testing::HasSubstr("step"));
}

TEST(TakeStream, SamplesEvenly) {
  const test::TemporaryFolder folder;
  write_file(folder.file("a.c3d"), make_c3d(some_points()));
  TakeStream stream(folder.file("a.c3d"), Context(1));
  const MarkerTake sample = stream.sample(4);
  ASSERT_EQ(sample.frames, 4U);
  EXPECT_DOUBLE_EQ(sample.rate, 100.0 / 3);
  EXPECT_NEAR(sample.at(3, 0).x, 0.09, 1e-9);
  EXPECT_EQ(stream.sample(100).frames, 11U);
}

/// Most memory that this process has had so far, kilobytes.
std::size_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      std::size_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes;
    }
  return 0;
}

/// A take of 39 markers on three rigid bodies, with a gap in every minute.
void write_long_take(const std::string& file, std::size_t frames, double rate) {
  constexpr std::size_t kMarkers = 39;
  C3dSpec spec;
  spec.rate = rate;
  spec.reals = {{"LONG_FRAMES", static_cast<double>(frames)}};
  for (std::size_t m = 0; m < kMarkers; ++m) spec.labels.push_back("M" + std::to_string(m));
  spec.frames = {std::vector<test::C3dPoint>(kMarkers), std::vector<test::C3dPoint>(kMarkers)};
  std::string head = make_c3d(spec);
  const auto block = static_cast<std::size_t>(static_cast<unsigned char>(head[16])) +
                     256 * static_cast<std::size_t>(static_cast<unsigned char>(head[17]));
  head.resize((block - 1) * 512);
  std::ofstream out(file, std::ios::binary);
  out.write(head.data(), static_cast<std::streamsize>(head.size()));
  for (std::size_t f = 0; f < frames; ++f)
    for (std::size_t m = 0; m < kMarkers; ++m) {
      const double t = static_cast<double>(f) / rate, phase = static_cast<double>(m / 13), k = static_cast<double>(m);
      const bool hidden = f % static_cast<std::size_t>(60 * rate) < 40 && m == (f / 60) % kMarkers;
      const float values[4] = {static_cast<float>(1000 * std::sin(0.3 * t + phase) + 40 * std::fmod(7 * k, 13)),
                               static_cast<float>(30 * std::fmod(k * k, 13)),
                               static_cast<float>(900 + 200 * phase + 25 * std::fmod(k, 13)), hidden ? -1.0F : 0.0F};
      static_assert(std::endian::native == std::endian::little);
      out.write(reinterpret_cast<const char*>(values), sizeof values);
    }
}

TEST(TakeStream, ATakeOfTwentyMinutesStreamsInConstantMemory) {
  const test::TemporaryFolder folder;
  constexpr double kRate = 120;
  constexpr std::size_t kFrames = 20 * 60 * 120;
  write_long_take(folder.file("long.c3d"), kFrames, kRate);
  const Context context(1);
  [[maybe_unused]] const std::size_t before = peak_memory();
  TakeStream stream(folder.file("long.c3d"), context);
  ASSERT_EQ(stream.frames(), kFrames);
  MarkerMap map;
  for (int m = 0; m < 39; ++m) {
    map.places.emplace_back().marker = "M" + std::to_string(m);
    map.places.back().vertex = 0;
  }
  TargetStream targets(
      stream.sample(2400), kFrames, kRate,
      [&](std::size_t first, std::size_t count) { return stream.read(first, count); }, map, 30, context);
  ASSERT_EQ(targets.counts().frames, kFrames / 4);
  double farthest = 0;
  for (std::size_t f = 0; f < targets.counts().frames; ++f) {
    targets.seek(f);
    for (std::size_t m = 0; m < 39; ++m) {
      ASSERT_GT(targets.confidence()[m], 0) << f << " " << m;
      // Lengths in the take are millimetres, Z up.
      const double t = static_cast<double>(f) / 30, phase = static_cast<double>(m / 13);
      const double x = 1e-3 * (1000 * std::sin(0.3 * t + phase) + 40 * std::fmod(7 * static_cast<double>(m), 13));
      farthest = std::max(farthest, std::abs(targets.positions()[m].x - x));
    }
  }
  EXPECT_LT(farthest, 1e-3) << "also where markers were hidden";
  EXPECT_GT(targets.counts().filled, 0U);
  EXPECT_EQ(targets.counts().jumps + targets.counts().released, 0U);
#ifndef CUTIS_SANITIZED  // sanitizers keep what is freed
  // As a whole: 90 MB of file, 157 of positions and residuals, 180 of targets.
  EXPECT_LT(peak_memory() - before, 48U * 1024);
#endif
}

}  // namespace
}  // namespace cutis
