#include "backends/cuda/runtime.h"

#include <fmt/format.h>

#include "cutis/error.h"

namespace cutis::cuda {

void check(cudaError_t error, const char* sentence) {
  if (error == cudaSuccess) return;
  throw Error(ErrorCode::io, "back end cuda", fmt::format("{}: {}", sentence, cudaGetErrorString(error)));
}

const std::string& missing_device() {
  static const std::string why = []() -> std::string {
    int count = 0, whole = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return fmt::format("there is no CUDA device here ({}); choose another back end", cudaGetErrorString(error));
    }
    if (count == 0) return "there is no CUDA device here; choose another back end";
    if (cudaDeviceGetAttribute(&whole, cudaDevAttrCooperativeLaunch, 0) != cudaSuccess || whole == 0)
      return "the CUDA device cannot run the blocks of a kernel together; choose another back end";
    return {};
  }();
  return why;
}

void need_device() {
  if (!missing_device().empty()) throw Error(ErrorCode::io, "back end cuda", missing_device());
}

Stream::Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "the device gives no stream"); }
Stream::~Stream() { static_cast<void>(cudaStreamDestroy(stream_)); }
void Stream::wait() const { check(cudaStreamSynchronize(stream_), "the device failed"); }

Memory::~Memory() {
  if (data_ == nullptr) return;
  static_cast<void>(place_ == Place::device ? cudaFree(data_) : cudaFreeHost(data_));
}

void Memory::reserve(std::size_t bytes) {
  if (bytes <= size_) return;
  if (data_ != nullptr) static_cast<void>(place_ == Place::device ? cudaFree(data_) : cudaFreeHost(data_));
  data_ = nullptr;
  size_ = 0;
  check(place_ == Place::device ? cudaMalloc(&data_, bytes) : cudaMallocHost(&data_, bytes),
        "the device has too little memory");
  size_ = bytes;
}

void Packet::start(std::size_t bytes, std::size_t arrays) {
  room_ = bytes + arrays * kAlignment;
  host_.reserve(room_);
  device_.reserve(room_);
  used_ = 0;
}

void* Packet::add(const void* data, std::size_t bytes) {
  const std::size_t at = (used_ + kAlignment - 1) / kAlignment * kAlignment;
  if (at + bytes > room_) throw std::logic_error("a packet is too small");
  if (bytes > 0) std::memcpy(static_cast<char*>(host_.data()) + at, data, bytes);
  used_ = at + bytes;
  return static_cast<char*>(device_.data()) + at;
}

void Packet::send(const Stream& stream) const {
  if (used_ > 0)
    check(cudaMemcpyAsync(device_.data(), host_.data(), used_, cudaMemcpyHostToDevice, stream.get()), "a copy failed");
}

}  // namespace cutis::cuda
