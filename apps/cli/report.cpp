#include "report.h"

#include <filesystem>

#include <fmt/format.h>

#include "cutis/error.h"
#include "cutis/files.h"

namespace cutis::cli {
namespace {

constexpr const char* kStyle =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:1200px;margin:2rem auto;padding:0 "
    "1rem;color:#222;background:#fbfaf8}"
    "h1{font-size:1.9rem;margin-bottom:.2rem}h2{margin-top:2.4rem;border-bottom:1px solid #ddd}"
    "figure{margin:1rem 0}img{max-width:100%;border-radius:6px;box-shadow:0 1px 5px #0002}"
    "figcaption{color:#555;font-size:.92rem;margin-top:.3rem}table{border-collapse:collapse;margin:1rem 0}"
    "td,th{padding:.25rem .8rem;border-bottom:1px solid "
    "#e4e0da;text-align:right}td:first-child,th:first-child{text-align:left}"
    "code{background:#f0ece6;padding:.1rem .3rem;border-radius:3px}";

}  // namespace

std::string escape_html(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

HtmlReport::HtmlReport(std::string title, std::string lead) : title_(std::move(title)) {
  body_ = fmt::format("<h1>{}</h1>\n<p>{}</p>\n", escape_html(title_), escape_html(lead));
}
void HtmlReport::section(const std::string& heading, const std::string& text) {
  body_ += fmt::format("<h2>{}</h2>\n<p>{}</p>\n", escape_html(heading), escape_html(text));
}
void HtmlReport::picture(const std::string& file, const std::string& caption) {
  body_ += fmt::format("<figure><img src=\"{0}\" alt=\"{1}\"><figcaption>{1}</figcaption></figure>\n",
                       escape_html(file), escape_html(caption));
}
void HtmlReport::table(const std::vector<std::vector<std::string>>& rows) {
  body_ += "<table>\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    body_ += "<tr>";
    for (const std::string& cell : rows[r])
      body_ += fmt::format("<{0}>{1}</{0}>", r == 0 ? "th" : "td", escape_html(cell));
    body_ += "</tr>\n";
  }
  body_ += "</table>\n";
}
void HtmlReport::link(const std::string& file, const std::string& text) {
  body_ += fmt::format("<p><a href=\"{}\">{}</a></p>\n", escape_html(file), escape_html(text));
}
std::string HtmlReport::str() const {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>{}</title><style>{}</style></head>\n<body>\n{}</body></html>\n",
      escape_html(title_), kStyle, body_);
}

void write_text(const std::string& file, const std::string& text) { write_file(file, text); }

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder))
    throw Error(ErrorCode::io, folder, "cannot be made as a folder" + (error ? " (" + error.message() + ")" : ""));
}

}  // namespace cutis::cli
