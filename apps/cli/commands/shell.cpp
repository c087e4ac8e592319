// What a shell and `man` want to know about the program, made from the verbs and options themselves: completions for
// bash, zsh and fish, and the manual page. `make package` installs them.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common.h"
#include "cutis/io.h"
#include "cutis/version.h"
#include "terminal.h"

namespace cutis::cli {
namespace {

struct Flag {
  std::vector<std::string> names;  ///< with their dashes
  std::string help;
  bool takes_value = false;
  std::vector<std::string> choices;
};
struct Verb {
  std::string name, help, footer;
  std::vector<Flag> flags;
  std::vector<std::pair<std::string, std::string>> positionals;  ///< name, help
};

// CLI11 shows the members of a set in the type's name: "TEXT:{on,off}".
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  std::vector<std::string> choices;
  if (open == std::string::npos || close == std::string::npos) return choices;
  for (std::size_t at = open + 1; at < close;) {
    const std::size_t end = std::min(type.find(',', at), close);
    choices.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return choices;
}

std::vector<Verb> verbs_of(const CLI::App& app) {
  std::vector<Verb> verbs;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    Verb verb{sub->get_name(), sub->get_description(), sub->get_footer(), {}, {}};
    for (const CLI::Option* option : sub->get_options()) {
      if (option->get_positional()) {
        verb.positionals.emplace_back(option->get_name(true), option->get_description());
        continue;
      }
      Flag flag;
      for (const std::string& s : option->get_snames()) flag.names.push_back("-" + s);
      for (const std::string& l : option->get_lnames()) flag.names.push_back("--" + l);
      flag.help = option->get_description();
      flag.takes_value = option->get_items_expected_max() > 0;
      flag.choices = choices_of(*option);
      verb.flags.push_back(std::move(flag));
    }
    verbs.push_back(std::move(verb));
  }
  return verbs;
}

std::string names_of(const std::vector<Verb>& verbs) {
  std::vector<std::string> names;
  for (const Verb& v : verbs) names.push_back(v.name);
  return fmt::format("{}", fmt::join(names, " "));
}

// A word in single quotes, of bash, zsh and fish alike where it has no quote in it; a quote becomes a typographic one.
std::string single_quoted(std::string text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("’") : c == '\n' ? std::string(" ") : std::string(1, c);
  return result + "'";
}

std::string bash_completions(const std::vector<Verb>& verbs) {
  std::string values, flags;
  for (const Verb& v : verbs) {
    std::vector<std::string> all;
    for (const Flag& f : v.flags) {
      all.insert(all.end(), f.names.begin(), f.names.end());
      for (const std::string& name : f.names) {
        if (!f.choices.empty())
          values += fmt::format("    '{} {}') COMPREPLY=($(compgen -W '{}' -- \"$cur\")); return ;;\n", v.name, name,
                                fmt::join(f.choices, " "));
      }
    }
    flags += fmt::format("      {}) COMPREPLY=($(compgen -W '{}' -- \"$cur\")) ;;\n", v.name, fmt::join(all, " "));
  }
  return fmt::format(R"(# bash completion for cutis
_cutis() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} verb=${{COMP_WORDS[1]}}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$cur"))
    return
  fi
  if [ "$cur" = ":" ] || [ "$prev" = ":" ]; then
    COMPREPLY=($(compgen -W '{}' -- "${{cur#:}}"))
    return
  fi
  case "$verb $prev" in
{}  esac
  if [[ $cur == -* ]]; then
    case "$verb" in
{}    esac
    return
  fi
  COMPREPLY=($(compgen -f -- "$cur") $(compgen -W 'builtin:' -- "$cur"))
}}
complete -o filenames -o nospace -F _cutis cutis
)",
                     names_of(verbs), fmt::join(builtin_names(), " "), values, flags);
}

std::string zsh_completions(const std::vector<Verb>& verbs) {
  // [ ] : have a meaning in a description of _arguments.
  const auto plain = [](const std::string& text) {
    std::string result;
    for (const char c : single_quoted(text)) result += c == '[' ? '(' : c == ']' ? ')' : c == ':' ? ';' : c;
    return result.substr(1, result.size() - 2);
  };
  std::string list, cases;
  for (const Verb& v : verbs) {
    list += fmt::format("    '{}:{}'\n", v.name, plain(v.help));
    cases += fmt::format("    {})\n      _arguments \\\n", v.name);
    for (const Flag& f : v.flags)
      for (const std::string& name : f.names)
        cases += fmt::format("        '{}[{}]{}' \\\n", name, plain(f.help),
                             !f.takes_value      ? ""
                             : f.choices.empty() ? ":value:_files"
                                                 : fmt::format(":value:({})", fmt::join(f.choices, " ")));
    cases += "        '*:file:_files' ;;\n";
  }
  return fmt::format(R"(#compdef cutis
_cutis() {{
  local -a verbs
  verbs=(
{}  )
  if (( CURRENT == 2 )); then
    _describe 'verb' verbs
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
{}  esac
}}
_cutis "$@"
)",
                     list, cases);
}

std::string fish_completions(const std::vector<Verb>& verbs) {
  std::string text = "# fish completion for cutis\n";
  for (const Verb& v : verbs) {
    text += fmt::format("complete -c cutis -n __fish_use_subcommand -f -a {} -d {}\n", v.name, single_quoted(v.help));
    for (const Flag& f : v.flags) {
      text += fmt::format("complete -c cutis -n '__fish_seen_subcommand_from {}'", v.name);
      for (const std::string& name : f.names)
        text += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2)) : fmt::format(" -s {}", name.substr(1));
      if (f.takes_value) text += f.choices.empty() ? " -r" : fmt::format(" -x -a '{}'", fmt::join(f.choices, " "));
      text += fmt::format(" -d {}\n", single_quoted(f.help));
    }
  }
  return text;
}

// Text of a manual page: a dash is a dash, a backslash a backslash, a line may end after a bar (lists of choices have
// no spaces), and none begins with a request.
std::string roff(const std::string& text) {
  std::string result;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) result += "\\&";
    result += c == '-' ? std::string("\\-") : c == '\\' ? std::string("\\e") : std::string(1, c);
    if (c == '|') result += "\\:";
    line_begins = c == '\n';
  }
  return result;
}

std::string manual_page(const CLI::App& app, const std::vector<Verb>& verbs) {
  std::string text = fmt::format(
      ".TH CUTIS 1 \"\" \"cutis {}\" \"User Commands\"\n.ad l\n.SH NAME\ncutis \\- gives a character its skin over "
      "time\n"
      ".SH SYNOPSIS\n.B cutis\n.I VERB\n.RI [ ARGUMENTS ]\n.SH DESCRIPTION\n{}\n",
      version(), roff(app.get_description()));
  text += ".SH VERBS\n";
  for (const Verb& v : verbs) {
    std::string synopsis;
    for (const auto& [name, help] : v.positionals) synopsis += " " + name;
    text += fmt::format(".SS \"cutis {}{} [options]\"\n{}\n", v.name, roff(synopsis), roff(v.help));
    for (const auto& [name, help] : v.positionals) text += fmt::format(".TP\n.I {}\n{}\n", roff(name), roff(help));
    for (const Flag& f : v.flags) {
      std::string head = fmt::format("{}", fmt::join(f.names, ", "));
      if (!f.choices.empty())
        head += fmt::format(" {}", fmt::join(f.choices, "|"));
      else if (f.takes_value)
        head += " VALUE";
      text += fmt::format(".TP\n.B {}\n{}\n", roff(head), roff(f.help));
    }
    if (!v.footer.empty()) text += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(v.footer));
  }
  text += fmt::format(".SH EXAMPLES\n.nf\n{}\n.fi\n", roff(app.get_footer()));
  text +=
      ".SH EXIT STATUS\n0 on success, 1 on bad input or failure (one sentence on standard error), 2 on wrong usage.\n"
      ".SH ENVIRONMENT\n.TP\n.B CUTIS_SHARED_DATA\nFolder of the bodies that \\fBcutis bench\\fR plays besides the "
      "built\\-in ones.\n";
  return text;
}

}  // namespace

void add_shell(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* completions = app.add_subcommand("completions", "Completions for a shell, on stdout");
  completions->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completions->footer("Examples:\n  cutis completions bash > ~/.local/share/bash-completion/completions/cutis");
  completions->callback([&app, shell] {
    const std::vector<Verb> verbs = verbs_of(app);
    put(*shell == "bash"  ? bash_completions(verbs)
        : *shell == "zsh" ? zsh_completions(verbs)
                          : fish_completions(verbs));
  });
  CLI::App* manual = app.add_subcommand("man", "The manual page, on stdout");
  manual->footer("Examples:\n  cutis man > cutis.1 && man ./cutis.1");
  manual->callback([&app] { put(manual_page(app, verbs_of(app))); });
}

}  // namespace cutis::cli
