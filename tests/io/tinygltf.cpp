#define TINYGLTF_IMPLEMENTATION
#include "io/tinygltf.h"
