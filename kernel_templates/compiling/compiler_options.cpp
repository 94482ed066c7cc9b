#include "kernel_templates/compiling/compiler_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

#include "base/text.h"
#include "kernel_templates/compiling/option_tables.h"

namespace warptune::kernel_templates::compiling {

namespace {

struct Table {
  const Option* begin;
  const Option* end;
  std::string_view whose;       // The beginning of messages.
  bool separate_values = true;  // False for the assembler, which could read it as a file.
};
constexpr Table kCompilerTable = {std::begin(kCompilerOptions), std::end(kCompilerOptions),
                                  "the compiler option"};
constexpr Table kAssemblerTable = {std::begin(kAssemblerOptions), std::end(kAssemblerOptions),
                                   "the assembler's option", false};

bool consists_of(std::string_view text, std::string_view further, bool letters) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isdigit(byte) != 0 || (letters && std::isalpha(byte) != 0) ||
           further.find(c) != std::string_view::npos;
  });
}

// What the option expects, if the value has another form; else empty.
std::string expected_instead(const Option& option, const std::string& value) {
  if (!option.choices.empty()) {
    const std::vector<std::string> choices = base::split(option.choices, '|');
    return base::contains(choices, value) ? "" : fmt::format("{}", fmt::join(choices, ", "));
  }
  const auto unless = [](bool good, const char* expected) { return good ? "" : expected; };
  switch (option.form) {
    case ValueForm::kTruth:
      return unless(value == "true" || value == "false", "true or false");
    case ValueForm::kNumber:
      return unless(consists_of(value, "", false), "an integer, 0 or more");
    case ValueForm::kNumbers:
      return unless(consists_of(value, ",", false), "integers separated by commas");
    case ValueForm::kWord:
      return unless(consists_of(value, "_.-", true) && value.front() != '-', "a word");
    case ValueForm::kMacro:
      return unless(!value.empty() && (std::isalpha(static_cast<unsigned char>(value.front())) != 0 ||
                                       value.front() == '_'),
                    "the name of a macro");
    case ValueForm::kFolder:
      return unless(!value.empty() && value.front() != '-', "a folder");
    default:
      return unless(value.empty(), "no value");
  }
}

// Reads the words of the options of one table.
class OptionReader {
 public:
  OptionReader(const Table& table, const std::vector<OptionWord>& words) : table_(table), words_(words) {}

  WordedOptions read() {
    std::vector<OptionWord> of_assembler;
    for (at_ = 0; at_ < words_.size(); ++at_) {
      const std::size_t first = at_;
      const OptionWord& word = words_[first];
      std::optional<std::string> value;
      const Option& option = find(word, value);
      if (!value && option.form != ValueForm::kNone) value = next_word(word);
      add_words(option, value, first);
      if (option.form == ValueForm::kAssembler) {
        of_assembler.push_back({*value, words_[at_].position});
        continue;
      }
      const std::string expected = value && option.form == ValueForm::kNone
                                       ? "no value"
                                       : expected_instead(option, value.value_or(""));
      if (!expected.empty()) refuse(word, fmt::format("has the value '{}', expected {}", *value, expected));
      found_.options.push_back({option.name, value.value_or(""), words_[at_].position});
    }
    if (!of_assembler.empty()) OptionReader(kAssemblerTable, of_assembler).read();
    return std::move(found_);
  }

 private:
  void add_words(const Option& option, const std::optional<std::string>& value, std::size_t first) {
    static constexpr std::pair<std::string_view, std::string_view> kOneForm[] = {
        {"define-macro", "-D"}, {"undefine-macro", "-U"}, {"include-path", "-I"}, {"std", "-std="}};
    for (const auto& [name, begin] : kOneForm) {
      if (option.name == name) return found_.words.push_back(std::string(begin) + value.value_or(""));
    }
    for (std::size_t i = first; i <= at_; ++i) found_.words.push_back(words_[i].text);
  }

  [[noreturn]] void refuse(const OptionWord& word, const std::string& why) const {
    throw base::InputError(fmt::format("{} '{}' {}", table_.whose, word.text, why), words_[at_].position);
  }

  // The option that a word names. Sets `value` if the word includes it.
  const Option& find(const OptionWord& word, std::optional<std::string>& value) const {
    const std::string_view text = word.text;
    const std::size_t dashes = std::min(text.find_first_not_of('-'), text.size());
    const std::string_view body = text.substr(dashes);
    const std::size_t equals = body.find('=');
    const std::string_view name = body.substr(0, equals);
    for (const Option* option = table_.begin; dashes >= 1 && dashes <= 2 && option != table_.end; ++option) {
      const bool is_short = dashes == 1 && !option->short_name.empty();
      if (name == option->name || (is_short && name == option->short_name)) {
        if (equals != std::string_view::npos) value = std::string(body.substr(equals + 1));
        return *option;
      }
      if (is_short && option->joined && body.starts_with(option->short_name)) {
        value = std::string(body.substr(option->short_name.size()));
        return *option;
      }
    }
    refuse_unknown(word, name);
  }

  [[noreturn]] void refuse_unknown(const OptionWord& word, std::string_view name) const {
    for (const auto& [refused, why] : kRefused) {
      if (name == refused) refuse(word, fmt::format("is not allowed in a definition: {}", why));
    }
    std::vector<std::string> known;
    for (const Option* option = table_.begin; option != table_.end; ++option)
      known.emplace_back(option->name);
    refuse(word, fmt::format("is not among those that a definition may give{}; docs/kernel-definition.md, "
                             "\"Compiler options\", lists them",
                             base::did_you_mean(name, known)));
  }

  std::string next_word(const OptionWord& word) {
    if (!table_.separate_values || at_ + 1 == words_.size()) refuse(word, "has no value");
    return words_[++at_].text;
  }

  const Table& table_;
  const std::vector<OptionWord>& words_;
  std::size_t at_ = 0;
  WordedOptions found_;
};

std::vector<std::string_view> option_names(const Table& table) {
  std::vector<std::string_view> names;
  for (const Option* option = table.begin; option != table.end; ++option) names.push_back(option->name);
  return names;
}

}  // namespace

std::vector<OptionWord> words_of(const std::string& flag, const base::SourcePosition& position) {
  std::vector<OptionWord> words;
  std::istringstream stream(flag);
  for (std::string word; stream >> word;) words.push_back({word, position});
  return words;
}

std::vector<CompilerOption> read_compiler_options(const std::vector<OptionWord>& words) {
  return read_worded_options(words).options;
}

WordedOptions read_worded_options(const std::vector<OptionWord>& words) {
  return OptionReader(kCompilerTable, words).read();
}

std::vector<std::string_view> compiler_option_names() { return option_names(kCompilerTable); }
std::vector<std::string_view> assembler_option_names() { return option_names(kAssemblerTable); }

}  // namespace warptune::kernel_templates::compiling
