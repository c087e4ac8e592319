// A page of pictures and tables that stands alone beside its pictures: HTML without scripts or outside references.
#pragma once

#include <string>
#include <vector>

namespace cutis::cli {

class HtmlReport {
 public:
  HtmlReport(std::string title, std::string lead);

  void section(const std::string& heading, const std::string& text);
  /// `file` is relative to the page.
  void picture(const std::string& file, const std::string& caption);
  /// First row is the head; numbers are right-aligned by the caller's text.
  void table(const std::vector<std::vector<std::string>>& rows);
  void link(const std::string& file, const std::string& text);

  [[nodiscard]] std::string str() const;

 private:
  std::string title_, body_;
};

/// & < > " as entities.
[[nodiscard]] std::string escape_html(const std::string& text);
/// Written to a temporary name and renamed.
void write_text(const std::string& file, const std::string& text);
/// Makes the folder (and its parents); throws Error when it cannot.
void make_folder(const std::string& folder);

}  // namespace cutis::cli
