#include "report.h"

#include <filesystem>

#include <fmt/format.h>

#include "cutis/error.h"
#include "cutis/files.h"

namespace cutis::cli {
namespace {

// Light and dark, wide and narrow.
constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--ink:#222;--soft:#5b5750;--paper:#fbfaf8;--line:#e0dbd3;--code:#f0ece6;--good:#17692f;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--ink:#e9e6e1;--soft:#aaa49a;--paper:#191817;--line:#3a3733;--code:#2a2826;--good:#7fd694;--bad:#ff8a80}
a{color:#8ab4f8}}
body{font:16px/1.5 system-ui,sans-serif;max-width:1200px;margin:2rem auto;padding:0 1rem;color:var(--ink);background:var(--paper)}
h1{font-size:2rem;line-height:1.2;margin-bottom:.4rem}
h2{margin-top:3rem;padding-bottom:.2rem;border-bottom:1px solid var(--line)}
h3{margin:1.6rem 0 .3rem;font-size:1.05rem}
figure{margin:0}img{max-width:100%;display:block;border-radius:6px}
figcaption{color:var(--soft);font-size:.92rem;margin-top:.35rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;margin:.6rem 0;font-variant-numeric:tabular-nums}
td,th{padding:.3rem .8rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}
th{font-weight:600;color:var(--soft)}td:first-child,th:first-child{text-align:left}
tr.strong td{font-weight:650}
code,pre{background:var(--code);border-radius:4px;font:.9em/1.5 ui-monospace,monospace}code{padding:.1rem .3rem}
pre{padding:.6rem .8rem;overflow-x:auto}
)";

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
  body_ += fmt::format("<h2>{}</h2>\n", escape_html(heading));
  paragraph(text);
}
void HtmlReport::paragraph(const std::string& text) { body_ += fmt::format("<p>{}</p>\n", escape_html(text)); }
void HtmlReport::picture(const std::string& file, const std::string& caption) {
  body_ += fmt::format("<figure><img src=\"{0}\" alt=\"{1}\"><figcaption>{1}</figcaption></figure>\n",
                       escape_html(file), escape_html(caption));
}
void HtmlReport::table(const std::vector<std::vector<std::string>>& rows, std::size_t strong) {
  body_ += "<div class=\"scroll\"><table>\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    body_ += r > 0 && r == strong ? "<tr class=\"strong\">" : "<tr>";
    for (const std::string& cell : rows[r])
      body_ += fmt::format("<{0}>{1}</{0}>", r == 0 ? "th" : "td", escape_html(cell));
    body_ += "</tr>\n";
  }
  body_ += "</table></div>\n";
}
void HtmlReport::command(const std::string& line) { body_ += fmt::format("<pre>{}</pre>\n", escape_html(line)); }
void HtmlReport::link(const std::string& file, const std::string& text) {
  body_ += fmt::format("<p><a href=\"{}\">{}</a></p>\n", escape_html(file), escape_html(text));
}
std::string HtmlReport::str() const {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>{}</title><style>{}{}</style></head>\n<body>\n{}{}</body></html>\n",
      escape_html(title_), kStyle, style_, body_, script_.empty() ? "" : fmt::format("<script>{}</script>\n", script_));
}

void write_text(const std::string& file, const std::string& text) { write_file(file, text); }

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder))
    throw Error(ErrorCode::io, folder, "cannot be made as a folder" + (error ? " (" + error.message() + ")" : ""));
}

}  // namespace cutis::cli
