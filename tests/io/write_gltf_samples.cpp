// write_gltf_samples FOLDER: animations that show everything the glTF writer can write, for the Khronos validator.
#include <cstdio>
#include <filesystem>
#include <string>

#include "cutis/error.h"
#include "cutis/io.h"
#include "io/gltf_shots.h"
#include "io/writer_support.h"
#include "support/support.h"

using namespace cutis::test;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  try {
    for (const char* extension : {".glb", ".gltf"}) {
      const auto write = [&](const Shot& shot, const std::string& name) {
        write_shot(shot, (folder / (name + extension)).string());
      };
      Shot shot;
      fill_shot(shot, 12);
      write(shot, "neutral");
      add_look(shot);
      write(shot, "two materials, a texture");
      shot.character.meshes[1].triangles.clear();
      write(shot, "points");
      fill_shot(shot, 1);
      write(shot, "one frame");
      fill_shot(shot, 300);
      write(shot, "300 frames");
      fill_shot(shot, 2);
      for (Shot::Frame& frame : shot.frames) {  // nothing moves: all differences are 0
        frame = {};
        for (const cutis::Mesh& mesh : shot.character.meshes) {
          frame.positions.insert(frame.positions.end(), mesh.positions.begin(), mesh.positions.end());
          frame.normals.insert(frame.normals.end(), mesh.normals.begin(), mesh.normals.end());
        }
      }
      cutis::Character skinned = make_two_bone_tube();
      cutis::write_character((folder / (std::string("skinned") + extension)).string(), skinned, cutis::Context(1));
      cutis::Mesh plain = skinned.meshes[0];  // a second mesh, without a skin, and a joint with a sheared node
      plain.weights = {};
      skinned.meshes.push_back(plain);
      skinned.skeleton.joints[1].local_residual.emplace().linear.col[1].x = 0.25;
      cutis::write_character((folder / (std::string("skinned, sheared") + extension)).string(), skinned,
                             cutis::Context(1));
      shot.header.clip_name.clear();
      shot.character.source.clear();
      write(shot, "still");
    }
  } catch (const cutis::Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
