// tinygltf in a namespace of our own. libdraco carries another tinygltf with other layouts under the same names, and
// whichever of two shared libraries is loaded first would answer for both; so the header is compiled here
// (tinygltf.cpp), and libtinygltf is not linked. Images are not decoded or encoded.
#pragma once

#define TINYGLTF_NO_STB_IMAGE
#define TINYGLTF_NO_STB_IMAGE_WRITE
#define TINYGLTF_NO_EXTERNAL_IMAGE
#define tinygltf cutis_tinygltf
#include <tiny_gltf.h>
#undef tinygltf

namespace tinygltf = cutis_tinygltf;
