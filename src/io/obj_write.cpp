// OBJ, one file per frame, one `o` per mesh. Only `v` and `vn` change from frame to frame: the text of names, texture
// coordinates and faces is made once.
#include <algorithm>

#include "cutis/version.h"
#include "io/file_group.h"
#include "io/frame_writer.h"
#include "io/sequence.h"
#include "io/text_buffer.h"
#include "io/writers.h"

namespace cutis {
namespace {

/// OBJ names end at white space.
std::string object_name(const std::string& name) {
  std::string result = name.empty() ? "mesh" : name;
  std::replace_if(result.begin(), result.end(), [](unsigned char c) { return c <= ' ' || c == 0x7f; }, '_');
  return result;
}

class ObjWriter final : public FrameWriter {
 public:
  ObjWriter(const std::string& path, const AnimationHeader& header) : FrameWriter(path, header) {
    // The first file shows now, before any work, whether the folder takes files.
    files_.add(sequence_name(file(), 0, frame_count()));
    std::size_t first_vertex = 1, first_uv = 1;  // OBJ counts from 1, over all objects of the file
    for (const Mesh& mesh : character().meshes) {
      const VertexAttribute* uv = find_attribute(mesh, "TEXCOORD_0", 2);
      Part part{mesh.positions.size(), object_name(mesh.name), {}};
      TextBuffer rest;
      for (std::size_t i = 0; uv != nullptr && i < uv->values.size(); i += 2)
        rest.text("vt ").number(uv->values[i]).text(" ").number(1 - uv->values[i + 1]).text("\n");
      for (const Triangle& t : mesh.triangles) {
        rest.text("f");
        for (const std::uint32_t v : t) {
          rest.text(" ").number(first_vertex + v).text("/");
          if (uv != nullptr) rest.number(first_uv + v);
          rest.text("/").number(first_vertex + v);
        }
        rest.text("\n");
      }
      part.constant_text = rest.view();
      parts_.push_back(std::move(part));
      first_vertex += mesh.positions.size();
      if (uv != nullptr) first_uv += mesh.positions.size();
    }
  }

 private:
  struct Part {
    std::size_t vertices;
    std::string name;
    std::string constant_text;  ///< vt and f lines
  };

  void write_frame(std::span<const Vec3f> positions, std::span<const Vec3f> normals) override {
    AtomicFile& out = frame() == 0 ? files_.last() : files_.add(sequence_name(file(), frame(), frame_count()));
    out.write("# Cutis ");
    out.write(version());
    out.write("\n");
    std::size_t begin = 0;
    for (const Part& part : parts_) {
      text_.clear();
      text_.text("o ").text(part.name).text("\n");
      for (const Vec3f& p : positions.subspan(begin, part.vertices)) text_.text("v ").vector(p, " ").text("\n");
      for (const Vec3f& n : normals.subspan(begin, part.vertices)) text_.text("vn ").vector(n, " ").text("\n");
      out.write(text_.view());
      out.write(part.constant_text);
      begin += part.vertices;
    }
  }
  void complete() override { files_.commit(); }

  FileGroup files_;
  std::vector<Part> parts_;
  TextBuffer text_;
};

}  // namespace

WriterPtr make_obj_writer(const std::string& file, const AnimationHeader& header, const Context&) {
  return std::make_unique<ObjWriter>(file, header);
}

}  // namespace cutis
