// Rigs on disk: the same rig comes back, and nothing else is believed.
#include <cstring>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bind/skin_support.h"
#include "cutis/error.h"
#include "cutis/solve.h"
#include "rig/rig_file.h"

namespace cutis {
namespace {

using namespace test;
using testing::AnyOf;
using testing::HasSubstr;

const Rig& hand() {
  static const Bound b = bind_file("builtin:hand", Context(2));
  return *b.rig;
}

// With the checksum made right again.
std::string repaired(std::string bytes) {
  const std::uint64_t sum = rig_checksum(std::string_view(bytes).substr(kRigHeaderBytes));
  std::memcpy(bytes.data() + kRigChecksumOffset, &sum, sizeof sum);
  return bytes;
}

TEST(RigFile, gives_the_same_rig_back) {
  const TemporaryFolder folder;
  save_rig(hand(), folder.file("hand.rig"));
  const auto back = load_rig(folder.file("hand.rig"));
  EXPECT_EQ(rig_to_bytes(*back), rig_to_bytes(hand()));
  EXPECT_EQ(back->skeleton.joints[3].name, hand().skeleton.joints[3].name);
  EXPECT_EQ(back->surface.iso, hand().surface.iso);
  EXPECT_EQ(back->fields[2].grid.radius, hand().fields[2].grid.radius);
  // And it works: the same field, the same frames.
  const PosedField a(hand()), b(*back);
  for (std::size_t v = 0; v < hand().surface.size(); v += 7)
    EXPECT_EQ(a.eval(hand().surface.positions[v]).value, b.eval(hand().surface.positions[v]).value);
  const Context context(1);
  Solver solver(back, {.method = Method::dqs}, context);
  EXPECT_EQ(solver.solve(default_pose(back->skeleton)).positions.size(), hand().vertex_count());
}

TEST(RigFile, keeps_a_rig_without_an_implicit_skin_and_many_influences) {
  Bound b = bind_file("builtin:arm", Context(1), {.implicit_skin = false});
  Rig rig = *b.rig;
  rig.block_begin = {0};
  for (std::uint32_t v = 0; v < rig.vertex_count(); ++v) rig.block_begin.push_back(v + 1);
  rig.skeleton.joints[0].local_residual = Affine3d{diagonal_matrix(Vec3d{1, 2, 3}), {4, 5, 6}};
  const auto back = rig_from_bytes(rig_to_bytes(rig), "x.rig");
  EXPECT_FALSE(back->has_skin());
  EXPECT_EQ(back->block_begin, rig.block_begin);
  EXPECT_EQ(back->skeleton.joints[0].local_residual->translation, (Vec3d{4, 5, 6}));
}

TEST(RigFile, of_another_version_is_refused_with_a_sentence) {
  std::string bytes = rig_to_bytes(hand());
  const std::uint32_t old = kRigVersion + 7;
  std::memcpy(bytes.data() + 8, &old, sizeof old);
  const std::string error = error_of([&] { (void)rig_from_bytes(bytes, "old.rig"); });
  EXPECT_THAT(error, HasSubstr("old.rig"));
  EXPECT_THAT(error, HasSubstr(std::to_string(old)));
  EXPECT_THAT(error, HasSubstr("bind the character again"));
}

TEST(RigFile, that_is_damaged_anywhere_is_refused) {
  const std::string bytes = rig_to_bytes(hand());
  for (std::size_t k = 0; k < 200; ++k) {
    std::string damaged = bytes;
    damaged[k < 40 ? k : k * (bytes.size() / 200)] ^= 0x20;
    EXPECT_THAT(error_of([&] { (void)rig_from_bytes(damaged, "x.rig"); }), HasSubstr("x.rig")) << k;
  }
}

TEST(RigFile, that_is_cut_off_is_refused) {
  const std::string bytes = rig_to_bytes(hand());
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{7}, std::size_t{31}, std::size_t{32}, bytes.size() / 2, bytes.size() - 1})
    EXPECT_THAT(error_of([&] { (void)rig_from_bytes(bytes.substr(0, size), "x.rig"); }),
                AnyOf(HasSubstr("not a rig"), HasSubstr("damaged")));
  EXPECT_THAT(error_of([&] { (void)rig_from_bytes(bytes + "x", "x.rig"); }), HasSubstr("damaged"));
  EXPECT_THAT(error_of([&] { (void)rig_from_bytes("glTF and more than thirty-two bytes of it", "x.rig"); }),
              HasSubstr("not a rig"));
  EXPECT_THAT(error_of([&] { (void)load_rig("/no/such.rig"); }), HasSubstr("does not exist"));
}

// Contents with a right checksum that point elsewhere.
TEST(RigFile, whose_numbers_point_nowhere_is_refused) {
  const auto error = [](auto&& change) {
    Rig rig = hand();
    change(rig);
    return error_of([&] { (void)rig_from_bytes(rig_to_bytes(rig), "x.rig"); });
  };
  const auto bad = HasSubstr("do not fit together");
  EXPECT_THAT(error([](Rig& r) { r.bones[1].joint = 1000; }), bad);
  EXPECT_THAT(error([](Rig& r) { r.bones[1].parent = 1; }), bad);
  EXPECT_THAT(error([](Rig& r) { r.skeleton.joints[2].parent = 2; }), bad);
  EXPECT_THAT(error([](Rig& r) { r.blocks[5].bone[2] = 99; }), bad);
  EXPECT_THAT(error([](Rig& r) { r.blocks.pop_back(); }), bad);
  EXPECT_THAT(error([](Rig& r) {  // a vertex that follows no bone at all
                r.block_begin.push_back(0);
                for (std::uint32_t v = 0; v < r.vertex_count(); ++v) r.block_begin.push_back(v + 1);
                r.block_begin[3] = r.block_begin[2];
              }),
              bad);
  EXPECT_THAT(error([](Rig& r) { r.rest_normals.pop_back(); }), bad);
  EXPECT_THAT(error([](Rig& r) { r.rest_positions[3].y = std::nanf(""); }), bad);
  EXPECT_THAT(error([](Rig& r) { r.surface.owner[0] = 77; }), bad);
  EXPECT_THAT(error([](Rig& r) { r.surface.triangles[0][1] = 1U << 30U; }), bad);
  EXPECT_THAT(error([](Rig& r) { r.surface.neighbours.begin[4] = 1U << 30U; }), bad);
  EXPECT_THAT(error([](Rig& r) { r.surface.neighbour_weight.pop_back(); }), bad);
  EXPECT_THAT(error([](Rig& r) { r.surface.turn.items[0] = 500; }), bad);
  EXPECT_THAT(error([](Rig& r) { r.surface.iso.clear(); }), bad);
  EXPECT_THAT(error([](Rig& r) { r.surface.edge[0] = 0; }), bad);
  EXPECT_THAT(error([](Rig& r) { r.fields[1].grid.nx += 1; }), bad);
  EXPECT_THAT(error([](Rig& r) { r.fields[1].grid.radius = 0; }), bad);
  EXPECT_THAT(error([](Rig& r) { r.fields.pop_back(); }), bad);
  EXPECT_THAT(error([](Rig& r) { r.tree.leaf_bone[0] = r.tree.leaf_bone[1]; }), bad);
  EXPECT_THAT(error([](Rig& r) { r.tree.nodes[3].left = 3; }), bad);
  EXPECT_THAT(error([](Rig& r) { std::swap(r.tree.nodes[0].left, r.tree.nodes[0].right); }), bad);
  EXPECT_THAT(error([](Rig& r) { r.tree.nodes[0].op = 9; }), bad);
  EXPECT_THAT(error([](Rig& r) { r.tree.nodes[0].knots = 1U << 31U; }), bad);
  EXPECT_THAT(error([](Rig& r) { r.tree.range_nodes[0] += 1; }), bad);
  EXPECT_THAT(error([](Rig& r) { r.tree.operators[0].slices = 1; }), bad);
  EXPECT_THAT(error([](Rig& r) { r.tree.operators[0].form = static_cast<OperatorForm>(17); }), bad);
}

TEST(RigFile, with_a_huge_count_asks_for_no_memory) {
  std::string bytes = rig_to_bytes(hand());
  const std::uint64_t huge = ~std::uint64_t{0} / 2;
  std::memcpy(bytes.data() + kRigHeaderBytes, &huge, sizeof huge);
  EXPECT_THAT(error_of([&] { (void)rig_from_bytes(repaired(bytes), "x.rig"); }), HasSubstr("arrays do not fit"));
}

TEST(RigFile, is_written_whole_or_not_at_all) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { save_rig(hand(), folder.file("no/such/folder/x.rig")); }), HasSubstr("x.rig"));
  std::ofstream(folder.file("x.rig")) << "before";
  save_rig(hand(), folder.file("x.rig"));
  EXPECT_EQ(load_rig(folder.file("x.rig"))->vertex_count(), hand().vertex_count());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

// What solvers derived from the rest pose goes along, and is believed only where it fits.
TEST(RigFile, keeps_what_solvers_share) {
  const Context context(1);
  const auto fresh = rig_from_bytes(rig_to_bytes(Rig(hand())), "x.rig");
  EXPECT_TRUE(fresh->rest.write().empty());
  prepare(*fresh, context);
  const std::map<std::string, std::string> kept = fresh->rest.write();
  EXPECT_EQ(kept.size(), 4U);
  const auto back = rig_from_bytes(rig_to_bytes(*fresh), "x.rig");
  EXPECT_EQ(back->rest.write(), kept);  // not asked for yet
  prepare(*back, context);
  EXPECT_EQ(back->rest.write(), kept);

  // What fits is taken as it is, not made again.
  auto other = kept;
  other["swell normals"][20] ^= 1;
  const auto taken = rig_from_bytes(rig_to_bytes(Rig(hand())), "x.rig");
  const_cast<Rig&>(*taken).rest.read(other);
  prepare(*taken, context);
  EXPECT_EQ(taken->rest.write(), other);

  Pose pose = default_pose(fresh->skeleton);
  for (Trsd& local : pose.local) local.rotation = local.rotation * Quatd{0.2, 0, 0, 0.98};
  const auto skin = [&](const std::shared_ptr<const Rig>& rig) {
    return Solver(rig, {.method = Method::tracking}, context).solve(pose).positions;
  };
  const std::vector<Vec3f> wanted = skin(fresh);
  EXPECT_EQ(skin(back), wanted);

  const std::string lie = "what is no list";
  for (const auto& [name, bytes] : kept)
    for (const std::string& wrong : {lie, bytes.substr(0, bytes.size() / 2), bytes + "x", std::string(bytes.size(), '\xff')}) {
      const auto rig = rig_from_bytes(rig_to_bytes(Rig(hand())), "x.rig");
      auto sections = kept;
      sections[name] = wrong;
      const_cast<Rig&>(*rig).rest.read(sections);
      EXPECT_EQ(skin(rig), wanted) << name;
    }
}

TEST(RigBytes, count_the_arrays) {
  std::size_t nodes = 0;
  for (const RigField& field : hand().fields) nodes += field.nodes.size() * sizeof(GridNode);
  EXPECT_GT(rig_bytes(hand()), nodes + hand().surface.size() * 12);
  EXPECT_LT(rig_bytes(hand()), 2 * rig_to_bytes(hand()).size());
}

}  // namespace
}  // namespace cutis
