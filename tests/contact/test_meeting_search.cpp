#include "contact/meeting_search.h"

#include <gtest/gtest.h>

#include <random>

namespace cutis {
namespace {

constexpr int kSide = 30;

// A square sheet in three parts, beside each other.
struct Sheet {
  std::vector<Vec3f> at;
  std::vector<Triangle> triangles;
  std::vector<std::uint32_t> part;

  Sheet() {
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x) {
        at.push_back({static_cast<float>(x), static_cast<float>(y), 0.1F * static_cast<float>((x * x + y) % 3)});
        part.push_back(static_cast<std::uint32_t>(3 * x / kSide));
      }
    for (std::uint32_t y = 0; y + 1 < kSide; ++y)
      for (std::uint32_t x = 0; x + 1 < kSide; ++x) {
        const std::uint32_t a = y * kSide + x, b = a + 1, c = a + kSide, d = c + 1;
        triangles.push_back({a, b, c});
        triangles.push_back({b, d, c});
      }
  }
  [[nodiscard]] ContactSurface surface(const Context& context) const {
    static const std::vector<float> radius{1, 1, 1};
    return {{at, triangles, part, 3, radius}, context};
  }
};

std::vector<MeetingParts> copy(std::span<const MeetingParts> meeting) { return {meeting.begin(), meeting.end()}; }
bool same(const std::vector<MeetingParts>& a, const std::vector<MeetingParts>& b) {
  return std::ranges::equal(
      a, b, [](const MeetingParts& x, const MeetingParts& y) { return x.parts == y.parts && x.pairs == y.pairs; });
}
const auto none_ignored = [](std::uint32_t, std::uint32_t) { return false; };

TEST(MeetingSearch, AroundWhatMovedItFindsAllThatMeets) {
  const Context context{2};
  const Sheet sheet;
  const ContactSurface surface = sheet.surface(context);
  MeetingSearch search(surface);
  std::mt19937 random(7);
  std::uniform_real_distribution<float> shift(-4, 4);
  std::uniform_int_distribution<std::size_t> any(0, sheet.at.size() - 1);
  std::size_t met = 0;
  for (int round = 0; round < 40; ++round) {
    std::vector<Vec3f> moved = sheet.at;
    std::vector<std::uint8_t> marked(moved.size(), 0);
    for (int i = 0; i < 1 + round / 4; ++i) {
      const std::size_t v = any(random);
      moved[v] = moved[v] + Vec3f{shift(random), shift(random), shift(random) / 4};
      marked[v] = 1;
    }
    const auto all = copy(search.find(moved, none_ignored, context));
    EXPECT_TRUE(same(copy(search.find_near(marked, moved, none_ignored, context)), all)) << round;
    met += all.size();
  }
  EXPECT_GT(met, 40U);  // otherwise nothing was tested
}

TEST(MeetingSearch, WhatIsNotMarkedIsNotLookedAt) {
  const Context context{2};
  const Sheet sheet;
  const ContactSurface surface = sheet.surface(context);
  MeetingSearch search(surface);
  std::vector<Vec3f> moved = sheet.at;
  const std::size_t low = 4 * kSide + 2, high = 20 * kSide + 25;  // one in the first part, one in the last
  moved[low] = moved[low] + Vec3f{3, 0.3F, 0};
  moved[high] = moved[high] + Vec3f{-3, 0.3F, 0};
  const auto all = copy(search.find(moved, none_ignored, context));
  ASSERT_EQ(all.size(), 2U);

  std::vector<std::uint8_t> marked(moved.size(), 0);
  EXPECT_TRUE(search.find_near(marked, moved, none_ignored, context).empty());
  marked[low] = 1;
  const auto near_low = copy(search.find_near(marked, moved, none_ignored, context));
  ASSERT_EQ(near_low.size(), 1U);
  EXPECT_EQ(near_low[0].parts, (std::array<std::uint32_t, 2>{0, 0}));
  EXPECT_EQ(near_low[0].pairs, all[0].pairs);

  WorkMeter of_all, of_few;
  of_all.start(1U << 30U, 0);
  of_few.start(1U << 30U, 0);
  (void)search.find(moved, none_ignored, context, &of_all);
  (void)search.find_near(marked, moved, none_ignored, context, &of_few);
  EXPECT_LT(2 * of_few.used(), of_all.used());
}

}  // namespace
}  // namespace cutis
