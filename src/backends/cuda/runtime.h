// The device and its memory, without what only nvcc reads.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace cutis::cuda {

/// Throws Error(io) with what the driver says.
void check(cudaError_t error, const char* sentence);
/// Why nothing can run here, a sentence; empty: a device is there. Looks once.
[[nodiscard]] const std::string& missing_device();
/// Throws Error(io) with that sentence.
void need_device();

/// What was asked of the device, in order.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  /// Until all of it is done.
  void wait() const;

 private:
  cudaStream_t stream_ = nullptr;
};

/// Bytes of the device, or of the host for fast copies.
class Memory {
 public:
  enum class Place { device, host };
  explicit Memory(Place place) : place_(place) {}
  ~Memory();
  Memory(Memory&& other) noexcept
      : place_(other.place_), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Memory& operator=(Memory&&) = delete;
  /// At least so many; what was there is lost where it grows.
  void reserve(std::size_t bytes);
  [[nodiscard]] void* data() const { return data_; }

 private:
  Place place_;
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// An array on the device.
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  explicit Array(std::span<const T> values) { assign(values); }
  explicit Array(const std::vector<T>& values) { assign(std::span<const T>(values)); }
  void resize(std::size_t count) {
    memory_.reserve(count * sizeof(T));
    count_ = count;
  }
  /// Waits until it is done.
  void assign(std::span<const T> values) {
    resize(values.size());
    if (values.empty()) return;
    check(cudaMemcpy(data(), values.data(), values.size_bytes(), cudaMemcpyHostToDevice), "a copy failed");
    check(cudaStreamSynchronize(nullptr), "a copy failed");  // other streams do not wait for it
  }
  void clear(const Stream& stream) {
    if (count_ > 0) check(cudaMemsetAsync(data(), 0, count_ * sizeof(T), stream.get()), "memory could not be cleared");
  }
  void copy(const Array& from, const Stream& stream) {
    resize(from.size());
    if (count_ > 0)
      check(cudaMemcpyAsync(data(), from.data(), count_ * sizeof(T), cudaMemcpyDeviceToDevice, stream.get()),
            "a copy failed");
  }
  /// Waits until it is done, and all before it.
  void read(std::span<T> values, const Stream& stream) const {
    if (values.empty()) return;
    check(cudaMemcpyAsync(values.data(), data(), values.size_bytes(), cudaMemcpyDeviceToHost, stream.get()),
          "a copy failed");
    stream.wait();
  }
  [[nodiscard]] T* data() const { return static_cast<T*>(memory_.data()); }
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  Memory memory_{Memory::Place::device};
  std::size_t count_ = 0;
};

/// Small arrays that go to the device together. They are packed, then sent; the addresses that add() gives are valid
/// there as soon as they are.
class Packet {
 public:
  /// Of at most so many bytes in so many arrays. What was sent last must have arrived.
  void start(std::size_t bytes, std::size_t arrays);
  template <class T>
  [[nodiscard]] T* add(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kAlignment);
    return static_cast<T*>(add(values.data(), values.size_bytes()));
  }
  template <class T>
  [[nodiscard]] T* add(const std::vector<T>& values) {
    return add(std::span<const T>(values));
  }
  void send(const Stream& stream) const;

 private:
  static constexpr std::size_t kAlignment = 64;
  void* add(const void* data, std::size_t bytes);

  Memory host_{Memory::Place::host}, device_{Memory::Place::device};
  std::size_t used_ = 0, room_ = 0;
};

/// From the device, by memory of the host that it writes to fast.
class Answer {
 public:
  /// Where the copy will lie once the stream has been waited for.
  template <class T>
  [[nodiscard]] std::span<const T> ask(const T* from, std::size_t count, const Stream& stream) {
    host_.reserve(count * sizeof(T));
    if (count > 0)
      check(cudaMemcpyAsync(host_.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost, stream.get()),
            "a copy failed");
    return {static_cast<const T*>(host_.data()), count};
  }

 private:
  Memory host_{Memory::Place::host};
};

}  // namespace cutis::cuda
