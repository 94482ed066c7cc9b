#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernel_templates/data_type.h"
#include "search/expression.h"
#include "search/measurement.h"
#include "search/parameter.h"
#include "search/value.h"

namespace warptune::kernel_templates {

enum class InitialiserKind { kUniform, kNormal, kIota, kConstant, kFile };

/// How an argument's first contents come about.
struct Initialiser {
  InitialiserKind kind = InitialiserKind::kUniform;
  std::uint64_t seed = 0;      ///< 0: derived from the argument's place.
  double first = 0.0;          ///< low, mean, start or value.
  double second = 1.0;         ///< high, deviation or step.
  std::filesystem::path path;  ///< kFile: `.npy`, else raw little-endian elements.
};

enum class ArgumentKind { kIn, kOut, kInOut, kScratch, kScalar };

struct Argument {
  std::string name;
  ArgumentKind kind = ArgumentKind::kIn;
  std::string type;                         ///< A data type or a problem entry that names one.
  std::optional<search::Expression> count;  ///< Buffers: elements.
  std::optional<search::Expression> value;  ///< Scalars.
  Initialiser init;
  bool zeroed = false;  ///< Scratch: zeroed before each launch.
  base::SourcePosition position;
};

/// One launch of an evaluation.
struct Launch {
  std::string entry;  ///< With `{NAME}` placeholders; empty: the kernel's (or variant's) entry.
  std::vector<search::Expression> grid;
  std::vector<search::Expression> block;
  std::vector<search::Expression> cluster;
  std::optional<search::Expression> shared_bytes;
  std::optional<search::Expression> when;
};

enum class ReferenceKind { kNone, kEntry, kConfiguration, kExpression };

struct Check {
  ReferenceKind reference = ReferenceKind::kNone;
  Launch launch;                      ///< kEntry.
  search::NamedValues configuration;  ///< kConfiguration.
  std::vector<std::pair<std::string, std::string>>
      expressions;  ///< kExpression: output argument -> CUDA expression.
  std::optional<search::Expression> absolute;
  std::optional<search::Expression> relative;
};

/// When a parameter matters. Where it does not, it is fixed, so that no two configurations differ in it
/// alone.
struct ParameterCondition {
  std::string parameter;
  search::Expression when;
  search::Value otherwise;
};

struct Variant {
  std::string name;
  std::string entry;
  std::filesystem::path source;
};

/// A kernel definition as written, checked for form: every expression parsed, every name known.
struct KernelDefinition {
  std::string name;
  std::string description;
  std::filesystem::path path;    ///< The file that was read.
  std::filesystem::path source;  ///< The `.cu`.
  std::string entry;
  std::string language = "c++17";
  std::vector<std::string> flags;
  std::vector<std::filesystem::path> include_folders;
  std::vector<std::pair<std::string, search::Expression>> defines;
  search::NamedValues problem;
  std::vector<std::pair<std::string, std::vector<search::Value>>> problem_values;
  std::vector<search::Parameter> parameters;  ///< With VARIANT first when there are variants.
  std::vector<ParameterCondition> parameter_conditions;
  std::vector<search::Constraint> constraints;  ///< Those written, then one for each parameter condition.
  search::NamedValues default_configuration;
  Launch launch;
  std::vector<Launch> before;
  std::vector<Launch> after;
  std::vector<Argument> arguments;
  Check check;
  std::optional<search::Expression> flops;
  std::optional<search::Expression> bytes;
  search::ArithmeticUnit unit = search::ArithmeticUnit::kFp32;  ///< What does `flops`.
  std::vector<Variant> variants;
  std::string
      hash;  ///< Key: sources with their include closure, and the description without [problem]'s values.
};

/// Reads a definition. Throws `base::InputError` with file:line:column on malformed TOML, unknown keys (with
/// the nearest known), wrong types, expressions that do not parse or name nothing known, a missing source.
KernelDefinition load_kernel_definition(const std::filesystem::path& path);

}  // namespace warptune::kernel_templates
