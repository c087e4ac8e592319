#include "viewer_page.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "cutis/error.h"
#include "report.h"

namespace cutis::cli {
namespace {

// Where the character goes; web/viewer/index.html.
constexpr std::string_view kPlace = "<!--cutis-character-->";

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (k < count ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i + k])) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? kDigits[word >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

}  // namespace

std::string find_viewer_page() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& page :
       {folder / "viewer" / "index.html", folder.parent_path() / "share" / "cutis" / "viewer" / "index.html"})
    if (fs::is_regular_file(page, error)) return page.string();
  return {};
}

void check_viewer_page(std::string_view page, const std::string& file) {
  if (page.find(kPlace) == std::string_view::npos)
    throw Error(ErrorCode::bad_file, file, "is not the viewer's page: it has no place for a character");
}

std::string viewer_page_of(std::string page, const ViewerContent& content) {
  std::string blocks =
      fmt::format(R"(<script type="text/plain" id="cutis-character" data-name="{}" data-clip="{}">{}</script>)",
                  escape_html(content.name), escape_html(content.clip), base64(content.bytes));
  if (!content.preset.empty())
    blocks += fmt::format(R"(<script type="text/plain" id="cutis-preset">{}</script>)", base64(content.preset));
  return page.replace(page.find(kPlace), kPlace.size(), blocks);
}

}  // namespace cutis::cli
