// Apart from load_character(), so that what reads glTF alone links no other reader.
#include "cutis/io.h"
#include "io/distance.h"
#include "io/readers.h"

namespace cutis {

Character load_gltf(std::span<const std::byte> bytes, const std::string& name, const Context& context,
                    const ReadOptions& options) {
  context.check_cancelled();
  Character character = read_gltf_memory(bytes, name, context, options);
  context.check_cancelled();
  validate(character);
  check_distance(character, context);
  return character;
}

}  // namespace cutis
