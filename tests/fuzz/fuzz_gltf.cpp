// The glTF reader on damaged files: whatever the bytes, a Character that passes validation, or cutis::Error.
//
// Input that starts with '{' and holds a zero byte is JSON, then the binary chunk: mutations then do not have to keep
// the lengths of a GLB right. Anything else is a file as it is.
//   fuzz_gltf --write-seeds=FOLDER [FILE.glb …]   writes the built-in samples, and the files in that form, and leaves
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "cutis/character.h"
#include "cutis/context.h"
#include "cutis/error.h"
#include "io/gltf_read_container.h"
#include "io/gltf_samples.h"
#include "io/readers.h"

namespace {

void write_seed(const std::filesystem::path& file, std::string_view json, std::span<const std::byte> binary) {
  std::ofstream out(file, std::ios::binary);
  out << json << '\0';
  out.write(reinterpret_cast<const char*>(binary.data()), static_cast<std::streamsize>(binary.size()));
}

void write_seeds(const std::filesystem::path& folder, std::span<char*> files) {
  std::filesystem::create_directories(folder);
  for (const auto& [name, builder] : cutis::test::all_samples()) {
    const auto glb = builder.glb();
    const auto container = cutis::gltf::open_container(glb, name);
    write_seed(folder / (name + ".seed"), container.json, container.binary);
    std::ofstream(folder / (name + ".gltf")) << builder.gltf();
  }
  for (const char* file : files) {
    if (file[0] == '-') continue;  // a flag of libFuzzer
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto container = cutis::gltf::open_container(std::as_bytes(std::span(text)), file);
    write_seed(folder / (std::filesystem::path(file).stem().string() + ".seed"), container.json, container.binary);
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view kFlag = "--write-seeds=";
  const std::span<char*> arguments(*argv, static_cast<std::size_t>(*argc));
  if (arguments.size() > 1 && std::string_view(arguments[1]).starts_with(kFlag)) {
    write_seeds(arguments[1] + kFlag.size(), arguments.subspan(2));
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const cutis::Context context(1);
  std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  std::vector<std::byte> glb;
  const auto zero = std::find(bytes.begin(), bytes.end(), std::byte{0});
  if (size > 0 && data[0] == '{' && zero != bytes.end()) {
    const auto split = static_cast<std::size_t>(zero - bytes.begin());
    glb = cutis::test::make_glb(std::string(reinterpret_cast<const char*>(data), split), bytes.subspan(split + 1));
    bytes = glb;
  }
  try {
    validate(cutis::read_gltf_memory(bytes, "input", context, {}));
  } catch (const cutis::Error& error) {
    if (std::strlen(error.what()) == 0) std::abort();
  }
  return 0;
}
