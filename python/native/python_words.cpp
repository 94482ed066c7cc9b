#include "python/native/python_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace warptune::python::native {

namespace {

using Words = std::pair<std::string_view, std::string_view>;

// Texts in messages of the command line, and their translations. Sizes are keyword arguments in Python, so
// `--size N=4096` becomes `N=4096`. The first text that fits is used. So an option with a placeholder
// (`--db FILE`) comes before the option alone (`--db`), which may be followed by a value.
constexpr std::array kWords = {
    Words{"`warptune tune --metrics core`", "Kernel.tune(metrics=\"core\")"},
    Words{"choose a smaller problem with --size", "choose a smaller problem"},
    Words{"choose smaller sizes with --size", "choose smaller sizes"},
    Words{"without --stored", "with stored=False"},
    Words{"--allow-read FOLDER", "readable="},
    Words{"--allow-read", "readable="},
    Words{"--budget", "budget="},
    Words{"--cache", "cache="},
    Words{"--db FILE", "db="},
    Words{"--db", "db="},
    Words{"--default", "default="},
    Words{"--device", "device="},
    Words{"--from NAME=VALUE ...", "start="},
    Words{"--from", "start="},
    Words{"--gpu", "gpu="},
    Words{"--metrics", "metrics="},
    Words{"--objective", "objective="},
    Words{"--plot", "name="},
    Words{"--replay", "replay="},
    Words{"--sample", "sample="},
    Words{"--set NAME=VALUE ...", "configuration="},
    Words{"--set", "configuration="},
    Words{"--size ", ""},
    Words{"--stored", "stored="},
    Words{"--strategy", "strategy="},
    Words{"--strict", "strict="},
    Words{"--timeout SECONDS", "timeout_s="},
    Words{"--timeout", "timeout_s="},
    Words{"--to NAME=VALUE ...", "end="},
    Words{"--to", "end="},
    Words{"--trust", "trust=True"},
    Words{"--until", "until="},
};

constexpr std::string_view kTuneCommand = "run `warptune tune ";

bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-'; }

// Whether the option `words` ends where `rest` begins. It does not if `words` is only the beginning of a
// longer option: `--to` of `--top`. Nor does it if `=` follows, because `--option=value` may be an option of
// nvcc.
bool ends_here(std::string_view words, std::string_view rest) {
  return words.back() == ' ' || rest.empty() || (!continues_name(rest.front()) && rest.front() != '=');
}

}  // namespace

std::string in_python(std::string_view message) {
  std::string text;
  for (std::size_t at = 0; at < message.size();) {
    const std::string_view rest = message.substr(at);
    // A whole command in backquotes becomes a call. It names the kernel, which may be any text without a
    // backquote.
    if (const std::size_t end = rest.find('`', kTuneCommand.size());
        rest.starts_with(kTuneCommand) && end != std::string_view::npos) {
      text += "call Kernel.tune";
      at += end + 1;
      continue;
    }
    const auto known = std::find_if(kWords.begin(), kWords.end(), [&](const Words& words) {
      return rest.starts_with(words.first) && ends_here(words.first, rest.substr(words.first.size()));
    });
    const bool begins = at == 0 || (!continues_name(message[at - 1]) && message[at - 1] != '_');
    if (known == kWords.end() || !begins) {
      text += message[at++];
      continue;
    }
    text += known->second;
    at += known->first.size();
    // At the beginning of a message, the option's value follows: `--budget abc` becomes `budget=abc`.
    // Elsewhere the next word is a part of the sentence.
    if (text == known->second && text.ends_with('=') && message.substr(at).starts_with(' ')) ++at;
  }
  return text;
}

}  // namespace warptune::python::native
