// What hangs on bones without a skin: which verbs take it along.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/run.h"
#include "cutis/io.h"
#include "io/gltf_samples.h"

namespace cutis {
namespace {

using testing::HasSubstr;

struct CliAttached : testing::Test {
  TemporaryFolder folder;
  const std::string file = folder.file("hat.glb");
  CliAttached() {
    const auto bytes = test::attached_file().glb();
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
};

TEST_F(CliAttached, IsAnimatedWhenAskedForAndNamedWhenNot) {
  const Result without = run("animate " + file + " --method lbs --frames 1 -o " + folder.file("a.pc2"));
  EXPECT_EQ(without.exit_code, 0);
  EXPECT_THAT(without.out + without.err, HasSubstr("1 frames, 4 vertices"));
  EXPECT_THAT(without.err, HasSubstr("--attached"));
  const Result with = run("animate " + file + " --attached --method lbs --frames 1 -o " + folder.file("b.pc2"));
  EXPECT_EQ(with.exit_code, 0);
  EXPECT_THAT(with.out + with.err, HasSubstr("1 frames, 8 vertices"));
}

TEST_F(CliAttached, StaysInTheFileThatGetsNewWeights) {
  const Result r = run("weights " + file + " -o " + folder.file("w.glb"));
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const Character c = load_character(folder.file("w.glb"), Context(1));
  ASSERT_EQ(c.meshes.size(), 2U);
  EXPECT_THAT(c.meshes[1].weights.joint, testing::Each(testing::Eq(1U)));
}

}  // namespace
}  // namespace cutis
