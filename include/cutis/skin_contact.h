// Contact of one vertex, for engines and shaders.
#pragma once

namespace cutis {

struct SkinContact {
  float touch = 0;  ///< 1: touches other skin; 0: free; in between on two rings of vertices around
  float depth = 0;  ///< metres that the skin is pressed in there, against where its bone alone would carry it
};

}  // namespace cutis
