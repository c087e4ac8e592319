// A page of pictures and tables that stands alone beside its pictures: HTML without outside references.
#pragma once

#include <string>
#include <vector>

namespace cutis::cli {

class HtmlReport {
 public:
  HtmlReport(std::string title, std::string lead);

  void section(const std::string& heading, const std::string& text);
  void paragraph(const std::string& text);
  /// `file` is relative to the page.
  void picture(const std::string& file, const std::string& caption);
  /// First row is the head; the first column is left-aligned, the others right. `strong`: the row to stand out, 0:
  /// none.
  void table(const std::vector<std::vector<std::string>>& rows, std::size_t strong = 0);
  void command(const std::string& line);
  void link(const std::string& file, const std::string& text);
  /// As it is; what comes from names and numbers must have been escaped.
  void html(const std::string& markup) { body_ += markup; }
  /// Rules of its own, and a script at the end of the page. The page must be readable without the script.
  void style(const std::string& rules) { style_ += rules; }
  void script(const std::string& text) { script_ += text; }

  [[nodiscard]] std::string str() const;

 private:
  std::string title_, body_, style_, script_;
};

/// & < > " as entities.
[[nodiscard]] std::string escape_html(const std::string& text);
/// Written to a temporary name and renamed.
void write_text(const std::string& file, const std::string& text);
/// Makes the folder (and its parents); throws Error when it cannot.
void make_folder(const std::string& folder);

}  // namespace cutis::cli
