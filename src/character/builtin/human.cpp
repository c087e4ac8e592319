#include "character/builtin/builtin.h"
#include "character/builtin/human_model.h"
#include "character/builtin/skin.h"

namespace cutis::builtin {

Character make_human(const Context& context) {
  Character character;
  character.skeleton = human::make_skeleton();
  SkinOptions options;
  options.name = "human";
  options.coarse_cell = 0.010;
  options.fine_cell = 0.0034;
  options.fine = hand_bounds(human::left_hand());
  options.inside = human::kChest;
  character.meshes.push_back(make_skin(human::make_shape(), character.skeleton, options, context));
  character.clips = human::make_clips(character.skeleton);
  return character;
}

}  // namespace cutis::builtin
