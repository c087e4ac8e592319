#include "io/c3d_maker.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace cutis::test {
namespace {

class Maker {
 public:
  explicit Maker(const C3dSpec& spec) : spec_(spec) {}

  std::string make() {
    std::string parameters = make_parameters(0);
    const std::size_t blocks = (parameters.size() + 511) / 512;
    const std::size_t data_block = 2 + blocks;
    parameters = make_parameters(data_block);
    parameters.resize(blocks * 512, '\0');
    parameters[2] = static_cast<char>(blocks);

    std::string file;
    file += static_cast<char>(2);
    file += 'P';
    word(file, spec_.labels.size());
    word(file, static_cast<std::size_t>(spec_.analogue));
    word(file, 1);
    word(file, spec_.wide_frames ? 0xffff : spec_.frames.size());
    word(file, 0);
    real(file, spec_.as_float ? -spec_.scale : spec_.scale);
    word(file, data_block);
    word(file, 1);
    real(file, spec_.rate);
    file.resize(512, '\0');
    file += parameters;
    for (const auto& frame : spec_.frames) {
      for (const C3dPoint& p : frame) point(file, p);
      for (int k = 0; k < spec_.analogue; ++k) spec_.as_float ? real(file, 7.5) : word(file, 7);
    }
    return file;
  }

 private:
  void word(std::string& out, std::size_t value) const {
    const char low = static_cast<char>(value & 0xff), high = static_cast<char>((value >> 8U) & 0xff);
    if (spec_.processor == Processor::mips) {
      out += high;
      out += low;
    } else {
      out += low;
      out += high;
    }
  }
  void real(std::string& out, double value) const {
    const auto number = static_cast<float>(spec_.processor == Processor::dec ? value * 4 : value);
    const auto bits = std::bit_cast<std::uint32_t>(number);
    if (spec_.processor == Processor::dec) {
      word(out, bits >> 16U);
      word(out, bits & 0xffffU);
    } else if (spec_.processor == Processor::mips) {
      word(out, bits >> 16U);
      word(out, bits & 0xffffU);
    } else {
      word(out, bits & 0xffffU);
      word(out, bits >> 16U);
    }
  }
  void point(std::string& out, const C3dPoint& p) const {
    for (int k = 0; k < 3; ++k) {
      if (spec_.as_float) {
        real(out, p.position[k]);
      } else {
        word(out, static_cast<std::size_t>(static_cast<std::uint16_t>(std::lround(p.position[k] / spec_.scale))));
      }
    }
    if (spec_.as_float) {
      real(out, p.residual);
    } else {
      word(out, static_cast<std::size_t>(static_cast<std::uint16_t>(p.residual)));
    }
  }

  void group(std::string& out, int id, const std::string& name) const {
    out += static_cast<char>(name.size());
    out += static_cast<char>(-id);
    out += name;
    word(out, 3);
    out += '\0';
  }
  void parameter(std::string& out, int id, const std::string& name, int type, const std::vector<int>& dims,
                 const std::string& data) const {
    out += static_cast<char>(-static_cast<int>(name.size()));  // locked ones count their name in negative numbers
    out += static_cast<char>(id);
    out += name;
    word(out, 2 + 2 + dims.size() + data.size() + 1);
    out += static_cast<char>(type);
    out += static_cast<char>(dims.size());
    for (const int d : dims) out += static_cast<char>(d);
    out += data;
    out += '\0';
  }
  void labels(std::string& out, int id, const std::string& name, const std::vector<std::string>& list) const {
    constexpr std::size_t kWidth = 24, kMost = 255;
    for (std::size_t begin = 0, k = 1; begin < list.size(); begin += kMost, ++k) {
      std::string data;
      const std::size_t end = std::min(list.size(), begin + kMost);
      for (std::size_t i = begin; i < end; ++i) {
        std::string text = list[i];
        text.resize(kWidth, ' ');
        data += text;
      }
      parameter(out, id, name + (k == 1 ? "" : std::to_string(k)), -1, {kWidth, static_cast<int>(end - begin)}, data);
    }
  }

  std::string make_parameters(std::size_t data_block) const {
    std::string out;
    out += static_cast<char>(1);
    out += 'P';
    out += '\0';
    out += static_cast<char>(spec_.processor);
    group(out, 1, "POINT");
    group(out, 2, "TRIAL");
    std::string data;
    word(data, spec_.labels.size());
    parameter(out, 1, "USED", 2, {}, data);
    data.clear();
    word(data, data_block);
    parameter(out, 1, "DATA_START", 2, {}, data);
    data.clear();
    real(data, spec_.as_float ? -spec_.scale : spec_.scale);
    parameter(out, 1, "SCALE", 4, {}, data);
    data.clear();
    real(data, spec_.rate);
    parameter(out, 1, "RATE", 4, {}, data);
    if (!spec_.unit.empty()) parameter(out, 1, "UNITS", -1, {static_cast<int>(spec_.unit.size())}, spec_.unit);
    if (!spec_.y_screen.empty())
      parameter(out, 1, "Y_SCREEN", -1, {static_cast<int>(spec_.y_screen.size())}, spec_.y_screen);
    labels(out, 1, "LABELS", spec_.labels);
    labels(out, 1, "ANGLES", spec_.angles);
    if (spec_.wide_frames) {
      for (const auto& [name, value] : {std::pair<const char*, std::size_t>{"ACTUAL_START_FIELD", 100001},
                                        {"ACTUAL_END_FIELD", 100000 + spec_.frames.size()}}) {
        data.clear();
        word(data, value & 0xffff);
        word(data, value >> 16U);
        parameter(out, 2, name, 2, {2}, data);
      }
    }
    for (const auto& [name, value] : spec_.reals) {
      data.clear();
      real(data, value);
      const bool in_trial = name.starts_with("TRIAL:");
      parameter(out, in_trial ? 2 : 1, in_trial ? name.substr(6) : name, 4, {}, data);
    }
    out += '\0';
    return out;
  }

  const C3dSpec& spec_;
};

}  // namespace

std::string make_c3d(const C3dSpec& spec) { return Maker(spec).make(); }

}  // namespace cutis::test
