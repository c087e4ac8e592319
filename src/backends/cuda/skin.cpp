// The rig goes to the device once; a frame sends the bones and brings positions and normals back.
#include "backends/cuda/skin.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string_view>

#include "backends/cuda/runtime.h"
#include "backends/cuda/skin_kernel.h"

namespace cutis::cuda {
namespace {

/// The rig, and room for a frame; calls that come meanwhile wait.
struct Device {
  explicit Device(const Rig& rig)
      : rest_positions(rig.rest_positions),
        rest_normals(rig.rest_normals),
        block_begin(rig.block_begin),
        blocks(rig.blocks) {}

  Array<Vec3f> rest_positions, rest_normals;
  Array<std::uint32_t> block_begin;
  Array<InfluenceBlock> blocks;
  std::mutex mutex;
  Stream stream;
  Packet bones;
  Array<Vec3f> positions, normals;
  Answer position_answer, normal_answer;
};

struct SkinDevice {
  static constexpr std::string_view kRestName = "skin on the device";
  std::unique_ptr<Device> device;
};

void skin(const Rig& rig, const BonePalette& palette, bool linear, std::span<Vec3f> positions,
          std::span<Vec3f> normals) {
  need_device();
  const auto shared = rig.rest.get<SkinDevice>([&] { return SkinDevice{std::make_unique<Device>(rig)}; });
  Device& room = *shared->device;
  const std::scoped_lock lock(room.mutex);
  SkinArguments a;
  a.count = static_cast<std::uint32_t>(rig.vertex_count());
  a.rest_positions = room.rest_positions.data();
  a.rest_normals = room.rest_normals.data();
  a.block_begin = rig.block_begin.empty() ? nullptr : room.block_begin.data();
  a.blocks = room.blocks.data();
  room.bones.start(palette.matrices.size_bytes() + palette.rigid.size_bytes() + palette.stretches.bones.size_bytes(),
                   3);
  a.matrices = room.bones.add(palette.matrices);
  a.rigid = room.bones.add(palette.rigid);
  if (!palette.stretches.empty()) a.stretches = room.bones.add(palette.stretches.bones);
  a.turned = palette.stretches.turned;
  room.bones.send(room.stream);
  room.positions.resize(a.count);
  a.positions = room.positions.data();
  if (!normals.empty()) {
    room.normals.resize(a.count);
    a.normals = room.normals.data();
  }
  (linear ? launch_skin_linear : launch_skin_dual_quaternion)(a, room.stream);
  const auto at = room.position_answer.ask(a.positions, a.count, room.stream);
  const auto turned = room.normal_answer.ask(a.normals, normals.empty() ? 0 : a.count, room.stream);
  room.stream.wait();
  std::ranges::copy(at, positions.begin());
  std::ranges::copy(turned, normals.begin());
}

}  // namespace

void skin_linear(const Rig& rig, const BonePalette& palette, std::span<Vec3f> positions, std::span<Vec3f> normals,
                 const Context& context) {
  context.check_cancelled();
  skin(rig, palette, true, positions, normals);
}

void skin_dual_quaternion(const Rig& rig, const BonePalette& palette, std::span<Vec3f> positions,
                          std::span<Vec3f> normals, const Context& context) {
  context.check_cancelled();
  skin(rig, palette, false, positions, normals);
}

}  // namespace cutis::cuda
